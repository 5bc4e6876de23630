//! Profiles: how to ask a tool that does not follow the contract, and how to read
//! what it answers.

mod check;
mod escape;
mod fault;
mod file;
mod lines;
mod model;
mod named_rules;
mod place;
mod shipped;
#[cfg(test)]
mod tests;

pub use fault::ProfileFault;
pub use lines::LineReader;
pub use model::{Ask, Exits, Profile, Rejects, SessionAsk};
pub use shipped::{Home, find_profile, read_profile, shipped_profiles};
