//! Tells people and machines why something is refused.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::certify::Refusal;

/// Writes each refusal with its code, its place and what to do.
pub(super) fn write(out: &mut dyn Write, refusals: &[Refusal]) -> io::Result<()> {
    for refusal in refusals {
        writeln!(out, "{}: {refusal}", refusal.code())?;
        writeln!(out, "  help: {}", refusal.remedy())?;
    }
    Ok(())
}

/// The same as JSON.
pub(super) fn json(refusals: &[Refusal]) -> Value {
    let one = |refusal: &Refusal| {
        json!({
            "code": refusal.code(),
            "at": refusal.at(),
            "message": refusal.to_string(),
            "remedy": refusal.remedy(),
        })
    };
    refusals.iter().map(one).collect()
}
