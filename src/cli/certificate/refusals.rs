//! Tells people and machines why something is refused.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::certify::Refusal;
use crate::report::{hanging, paragraph};

/// Writes each refusal with its code, its place and what to do, in lines of `width`
/// columns. What is to be done about several in a row stands once below them.
pub(super) fn write(out: &mut dyn Write, refusals: &[Refusal], width: usize) -> io::Result<()> {
    for alike in refusals.chunk_by(|one, next| one.remedy() == next.remedy()) {
        for refusal in alike {
            let text = format!("{}: {refusal}", refusal.code());
            write!(out, "{}", paragraph(&text, 0, 2, width))?;
        }
        if let Some(refusal) = alike.first() {
            write!(out, "{}", hanging("  help:", 8, refusal.remedy(), width))?;
        }
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
