//! What is kept of what an implementation says: a report holds thousands of cases, and an
//! implementation may say as much as it likes in each.

use super::{Judgement, Mismatch, Outcome, ReportedFinding};

/// The most characters of a text.
const TEXT: usize = 2_000;
/// The most bytes of all findings of a case.
const FINDINGS: usize = 64 * 1024;

impl Judgement {
    /// Keeps the first findings, and of the mismatches the heaviest: the verdict, which was
    /// drawn from all of them, stays.
    pub(crate) fn trim(&mut self) {
        self.findings.iter_mut().for_each(trim);
        keep_first(&mut self.findings, size);
        for weighed in &mut self.mismatches {
            match &mut weighed.mismatch {
                Mismatch::Extra { finding, .. } => trim(finding),
                Mismatch::Repeated { finding, .. } => clip(finding),
                Mismatch::NoDecision { outcome, .. } => outcome.trim(),
                Mismatch::Stance { .. } | Mismatch::Missing { .. } | Mismatch::Relation { .. } => {}
            }
        }
        keep_first(&mut self.mismatches, |weighed| match &weighed.mismatch {
            Mismatch::Extra { finding, .. } => size(finding),
            // There are no more of the others than the golden and the suite ask for.
            _ => 0,
        });
    }
}

impl Outcome {
    /// Keeps the beginning of what was said.
    pub(crate) fn trim(&mut self) {
        match self {
            Self::Crashed { by: text }
            | Self::Tampered { what: text }
            | Self::BrokeProtocol { what: text }
            | Self::Unsupported { reason: text } => clip(text),
            Self::Decided { .. }
            | Self::WrongExit { .. }
            | Self::TimedOut { .. }
            | Self::Flooded { .. } => {}
        }
    }
}

fn trim(finding: &mut ReportedFinding) {
    clip(&mut finding.rule);
    finding.at.iter_mut().for_each(clip);
    finding.message.iter_mut().for_each(clip);
}

fn size(finding: &ReportedFinding) -> usize {
    /// What a report takes besides the texts.
    const FORM: usize = 40;
    let texts = [finding.at.as_deref(), finding.message.as_deref()];
    FORM + finding.rule.len() + texts.into_iter().flatten().map(str::len).sum::<usize>()
}

/// As many as there is room for.
fn keep_first<T>(list: &mut Vec<T>, size: impl Fn(&T) -> usize) {
    let mut total = 0;
    let fits = list.iter().take_while(|entry| {
        total += size(entry);
        total <= FINDINGS
    });
    list.truncate(fits.count());
}

fn clip(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(TEXT) {
        text.truncate(end);
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Grade, Level, Verdict, Weighed};

    fn finding(rule: &str, message: &str) -> ReportedFinding {
        let message = Some(message.to_owned());
        ReportedFinding { rule: rule.to_owned(), at: None, severity: None, message }
    }

    #[test]
    fn what_is_kept_of_a_case_is_bounded_and_its_verdict_stays() {
        let findings: Vec<_> = (0..50_000).map(|n| finding(&format!("a{n}"), "")).collect();
        let extra = |finding: &ReportedFinding| Weighed {
            level: Level::Should,
            mismatch: Mismatch::Extra { finding: finding.clone(), known: false },
        };
        let mut judgement = Judgement {
            verdict: Verdict::Fail,
            level: Level::Should,
            mismatches: findings.iter().map(extra).collect(),
            findings,
            grade: Grade::Json,
            choice: None,
        };
        judgement.trim();
        assert!(judgement.findings.len() > 1_000 && judgement.findings.len() < 2_000);
        assert_eq!(judgement.findings.len(), judgement.mismatches.len());
        assert_eq!(judgement.findings[0].rule, "a0");
        assert_eq!((judgement.verdict, judgement.level), (Verdict::Fail, Level::Should));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let mut long = finding(&"é".repeat(5_000), &"b".repeat(TEXT));
        trim(&mut long);
        assert_eq!(long.rule.chars().count(), TEXT + 1);
        assert!(long.rule.ends_with("é…"));
        assert_eq!(long.message.unwrap().len(), TEXT);
        let mut outcome = Outcome::Unsupported { reason: "x".repeat(1_000_000) };
        outcome.trim();
        assert!(matches!(outcome, Outcome::Unsupported { reason } if reason.len() < TEXT + 9));
    }
}
