//! The commands for certificates: make them, check them, show them.

mod certify;
mod command;
mod files;
mod identity;
mod receipt;
mod refusals;
mod statement;
mod under_test;
mod verify;

pub use certify::CertifyArgs;
pub use command::CertificateCommand;
pub use identity::IdentityArgs;
pub use receipt::{DiffArgs, ReceiptCommand, ShowArgs};
pub use under_test::UnderTestArgs;
pub use verify::VerifyArgs;
