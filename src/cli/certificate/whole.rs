//! What would make a certificate one of a part: options of a run that `certify` refuses.

use clap::{ArgAction, Args};

use crate::cli::Fatal;

/// The options of a run that leave something out, or take something for granted. They
/// are known, so that it can be said why they are refused.
#[derive(Debug, Clone, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "these are flags of the command line")]
pub struct PartArgs {
    /// Filters
    #[arg(value_name = "FILTER", hide = true)]
    filters: Vec<String>,

    #[arg(long, hide = true, num_args = 0..=1, action = ArgAction::Append)]
    skip: Vec<String>,

    #[arg(long, hide = true, num_args = 0..=1, action = ArgAction::Append)]
    rule: Vec<String>,

    #[arg(long, hide = true, num_args = 0..=1, action = ArgAction::Append)]
    shard: Vec<String>,

    #[arg(long, hide = true, num_args = 0..=1, action = ArgAction::Append)]
    expect: Vec<String>,

    #[arg(long, hide = true, num_args = 0..=1, action = ArgAction::Append)]
    expect_write: Vec<String>,

    #[arg(long, hide = true, num_args = 0..=1, action = ArgAction::Append)]
    retries: Vec<String>,

    #[arg(long, hide = true)]
    exact: bool,

    #[arg(long, hide = true)]
    fail_fast: bool,

    #[arg(long, hide = true)]
    list: bool,

    #[arg(long, hide = true)]
    ignored: bool,

    /// On in any case
    #[arg(long, hide = true)]
    variants: bool,
}

impl PartArgs {
    /// Refuses what was given of them.
    ///
    /// # Errors
    /// When something was.
    pub(super) fn check(&self) -> Result<(), Fatal> {
        let given = [
            ("filter", !self.filters.is_empty()),
            ("--skip", !self.skip.is_empty()),
            ("--rule", !self.rule.is_empty()),
            ("--shard", !self.shard.is_empty()),
            ("--expect", !self.expect.is_empty()),
            ("--expect-write", !self.expect_write.is_empty()),
            ("--retries", !self.retries.is_empty()),
            ("--exact", self.exact),
            ("--fail-fast", self.fail_fast),
            ("--list", self.list),
            ("--ignored", self.ignored),
        ];
        let given: Vec<&str> =
            given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        if given.is_empty() {
            return Ok(());
        }
        let text = format!(
            "certify takes no {}: a certificate is of all that is required, at the first attempt \
             [certify.not-the-whole]",
            given.join(" and no ")
        );
        Err(Fatal::error(text).with_remedy(
            "leave it out; --class and --protocol say what is required, and a run without \
             certify may be of a part",
        ))
    }
}
