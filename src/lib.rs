//! Certifies implementations of the Living Repositories Protocol, rule by rule.

pub mod certify;
pub mod core;
pub mod driver;
pub mod data;
pub mod report;
pub mod settings;
pub mod yaml;
