//! A page of the handbook: the faults that mutants of the code have.

use std::fmt::{self, Write as _};

use super::markdown::plain;
use crate::adequacy::{Family, Mutant};

/// Makes the page, as Markdown.
#[must_use]
pub fn mutants_page(mutants: &[Mutant]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(mutants, &mut text);
    text
}

fn write(mutants: &[Mutant], out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "<!-- Made from src/adequacy/faults. To make it again:\n     \
         LIVING_CONFORMANCE_UPDATE=1 cargo test --test docs_fresh -->"
    )?;
    writeln!(out, "\n# Mutants of the code\n")?;
    let code = || mutants.iter().filter(|mutant| mutant.family == Family::Code);
    writeln!(
        out,
        "Faults that programmers make in validators and matchers, {} of them; \
         [adequacy](adequacy.md) says what they are for. What a mutant is said to do, it does wrong.",
        code().count()
    )?;
    writeln!(out, "\n| mutant | what it does | attacks |\n|---|---|---|")?;
    for mutant in code().filter(|mutant| mutant.equivalent.is_none()) {
        writeln!(out, "{}", row(mutant, None))?;
    }
    writeln!(
        out,
        "\n## Equivalent ones\n\nNo document tells these from the reference.\n\n\
         | mutant | what it does | attacks | why it is equivalent |\n|---|---|---|---|"
    )?;
    for mutant in code() {
        if let Some(reason) = &mutant.equivalent {
            writeln!(out, "{}", row(mutant, Some(reason)))?;
        }
    }
    Ok(())
}

fn row(mutant: &Mutant, reason: Option<&str>) -> String {
    let attacks: Vec<String> = mutant.attacks.iter().map(|rule| format!("`{rule}`")).collect();
    let id = mutant.id.strip_prefix("code/").unwrap_or(&mutant.id);
    let mut cells = vec![format!("`{id}`"), plain(&mutant.wrong), attacks.join(", ")];
    cells.extend(reason.map(plain));
    format!("| {} |", cells.join(" | "))
}
