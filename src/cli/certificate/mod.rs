//! The commands for certificates: make them, check them, show them.

mod apart;
mod certify;
mod command;
mod files;
mod identity;
mod policy;
mod portable;
mod receipt;
mod refusals;
mod statement;
mod under_test;
mod verify;
mod whole;

pub use certify::CertifyArgs;
pub use command::CertificateCommand;
pub use identity::IdentityArgs;
pub use receipt::{DiffArgs, ReceiptCommand, ShowArgs};
pub use under_test::UnderTestArgs;
pub use verify::VerifyArgs;
pub use whole::PartArgs;
