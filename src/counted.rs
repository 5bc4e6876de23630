//! Numbers with their nouns.

/// A number with its noun, in the singular or the plural: `1 case`, `2 cases`,
/// `3 entries`.
#[must_use]
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_the_only_singular() {
        let told =
            [(0, "case"), (1, "case"), (2, "planned case"), (1, "entry"), (0, "entry"), (2, "key")];
        let told = told.map(|(number, noun)| counted(number, noun));
        assert_eq!(
            told,
            ["0 cases", "1 case", "2 planned cases", "1 entry", "0 entries", "2 keys"]
        );
    }
}
