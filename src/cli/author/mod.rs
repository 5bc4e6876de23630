//! The commands for those who write fixtures and rules.

mod bless;
mod checkout;
mod codes;
mod command;
mod explain;
mod lint;
mod minimize;
mod new;
mod progress;
mod release;

pub use bless::BlessArgs;
pub use checkout::CheckoutArgs;
pub(crate) use checkout::directories;
pub use command::AuthorCommand;
pub use explain::ExplainArgs;
pub use lint::{LintArgs, LintFormat};
pub use minimize::MinimizeArgs;
pub use new::{NewArgs, NewCategory};
pub use release::ReleaseArgs;
