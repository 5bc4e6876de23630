//! Reports and pages.

mod rules_page;

pub use rules_page::rules_page;
