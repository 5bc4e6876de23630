//! Reads suites: `suite.yaml`, `rules.yaml` and `ledger.yaml` of every folder.

mod check_rules;
mod check_suite;
mod fault;
mod load;

pub use fault::SuiteFault;
pub use load::{Choice, LoadErrors, Suites, load};
