//! Identities of content: what a report and a certificate name.

mod identity;

pub use identity::{Identity, IdentityError, TreeEntry, canonical, tree_identity};
