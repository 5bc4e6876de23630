//! Certificates that somebody else can check: identities of content, receipts of
//! passing runs, and the policies that admit them.

mod doubt;
mod evidence;
mod identity;
mod json;
mod normal;
mod policy;
mod portable;
mod predicates;
mod projection;
mod reason;
mod receipt;
mod recheck;
mod refusal;
mod requirement;
mod shape;
mod statement;
mod subject;
mod tree;
mod verifier;

pub use doubt::Doubt;
pub use evidence::EvidenceKind;
pub use identity::{Identity, IdentityError, TreeEntry, canonical, tree_identity};
pub use json::{JsonFault, SIZE_LIMIT};
pub use normal::{report_identity, result_identity};
pub use policy::{POLICY_SCHEMA, Policy};
pub use portable::PathFault;
pub use predicates::{Predicates, REFERENCE};
pub use projection::{Projected, Projection, ProjectionFault};
pub use reason::Reason;
pub use receipt::{Claims, RECEIPT_SCHEMA, Receipt, SuiteRef};
pub use recheck::{
    check_evidence, check_project, check_project_revision, check_report, check_rerun, check_subject,
};
pub use refusal::Refusal;
pub use requirement::{Requirement, SuiteId};
pub use statement::{PREDICATE_TYPE, Resource, STATEMENT_TYPE, TestResult, statement};
pub use subject::{Subject, UnderTest};
pub use tree::{ENTRY_LIMIT, TreeManifest, identity_of_file};
pub use verifier::{Examined, Verifier};
