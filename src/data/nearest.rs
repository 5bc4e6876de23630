//! The name that was meant.

/// How alike two names are, from 0 to 1, for one to be meant by the other.
const ALIKE: f32 = 0.6;

/// The candidate that is most like `name`, when one is alike enough.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Alike to that degree, neither is much longer than the other.
    let is_near = |candidate: &&str| {
        let (short, long) = (name.len().min(candidate.len()), name.len().max(candidate.len()));
        short * 2 >= long
    };
    candidates
        .filter(is_near)
        .map(|candidate| {
            let diff = similar::TextDiff::from_chars(name, candidate);
            (diff.ratio(), candidate)
        })
        .filter(|(ratio, _)| *ratio > ALIKE)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_is_suggested() {
        let names = ["matcher", "validator-strict", "validator-lenient"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!(near("validator-strct"), Some("validator-strict"));
        assert_eq!(near("x"), None);
    }
}
