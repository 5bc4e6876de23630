//! The commands for those who write fixtures and rules.

mod bless;
mod checkout;
mod command;
mod lint;

pub use bless::BlessArgs;
pub use checkout::CheckoutArgs;
pub use command::AuthorCommand;
pub use lint::{LintArgs, LintFormat};
