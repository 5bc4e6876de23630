//! The command line.

mod absent;
mod adequacy;
mod admit;
mod apart;
mod args;
mod author;
mod certificate;
mod check;
mod command;
mod compare;
mod coverage;
mod execute;
mod exit;
mod guard;
mod help;
mod kept;
mod known;
#[cfg(all(unix, feature = "library"))]
mod library;
mod matching;
mod measured;
mod merge;
mod output;
mod page;
mod profile;
mod reach;
mod read;
mod run;
mod runner;
mod session;
mod several;
mod shell;
mod suggest;
mod validate;
mod values;
mod varied;

pub use adequacy::AdequacyArgs;
pub use admit::{AdmitArgs, CheckArgs, admit, check};
pub use args::RunArgs;
pub use author::{
    AuthorCommand, BlessArgs, CheckoutArgs, ExplainArgs, LintArgs, LintFormat, MinimizeArgs,
    NewArgs, NewCategory, ReleaseArgs,
};
pub use certificate::{
    CertificateCommand, CertifyArgs, DiffArgs, IdentityArgs, PartArgs, ReceiptCommand, ShowArgs,
    UnderTestArgs, VerifyArgs,
};
pub use check::{CheckError, FindingsFormat};
pub use command::Cli;
pub use compare::{CompareArgs, FailOn};
pub use coverage::CoverageArgs;
pub use execute::execute;
pub use exit::{Exit, Fatal};
pub use help::HelpArgs;
pub use matching::{MatchArgs, match_documents};
pub use measured::{MeasureFormat, MeasuredArgs};
pub use page::PageArgs;
pub use run::run_linked;
pub use shell::{CompletionsArgs, ManArgs};
pub use validate::{ValidateArgs, validate};
pub use values::Variable;
