//! Certifies implementations of the Living Repositories Protocol, rule by rule.

pub mod adequacy;
pub mod certify;
pub mod cli;
pub mod compare;
pub mod core;
pub mod corpus;
mod counted;
pub mod data;
pub mod driver;
pub mod expect;
pub mod fixture;
pub mod harness;
pub mod merge;
pub mod reference;
pub mod releases;
pub mod report;
pub mod run;
pub mod settings;
pub mod suites;
pub mod variant;
pub mod yaml;

pub use driver::{Implementation, Reply};
pub use harness::{libtest, main};
