//! What a certification showed, and what it did not.

use std::io::{self, Write};
use std::path::Path;

use super::under_test::short;
use crate::certify::Receipt;
use crate::report::{Report, hanging, statement};

/// Columns before the text of a line.
const INDENT: usize = 11;

/// A certified run.
pub(super) struct Certified<'a> {
    pub(super) receipt: &'a Receipt,
    pub(super) report: &'a Report,
    pub(super) policy: Option<&'a Path>,
    /// What became of the file, in words that go before its path.
    pub(super) written: &'static str,
    pub(super) path: &'a Path,
}

/// Writes the statement: exactly what was shown, and no more.
pub(super) fn write(
    out: &mut dyn Write,
    certified: &Certified<'_>,
    width: usize,
) -> io::Result<()> {
    let Certified { receipt, report, policy, written, path } = certified;
    let claims = receipt.claims();
    let suite = &claims.suite;
    let admission = match policy {
        Some(policy) => format!("the policy {} admits it", short(policy)),
        None => "no policy was given: well-formed, and not accepted by anybody yet".to_owned(),
    };
    let lines = [
        ("receipt", format!("{}, {written} {}", receipt.identity(), short(path))),
        ("policy", admission),
        ("subject", claims.subject.to_string()),
        ("suite", format!("{} {}", suite.id, suite.version)),
    ];
    writeln!(out, "\ncertified: {}", crate::data::printable(&claims.project))?;
    let told = lines.into_iter().chain(statement(report));
    for (label, text) in told {
        // An identity stays whole.
        write!(out, "{}", hanging(&format!("  {label}"), INDENT, &text, width))?;
    }
    out.flush()
}
