//! What is frozen of a fixture: digests of what implementations are held to.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

use crate::core::{Expectation, ExpectedFinding, Fixture, Level, RuleTable};

/// How many bytes of a SHA-256 are kept: enough to tell an edit from none. What has
/// to stand up to somebody who tries is the identity of the suites in a receipt.
const LENGTH: usize = 16;

/// The first half of a SHA-256, written as 32 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; LENGTH]);

/// The digests of a fixture: of its documents, and of what is expected of each case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frozen {
    /// The documents: their names, their paths in the fixture, the digest of their bytes.
    pub documents: Digest,
    /// What is expected, by operation: the verdict, the findings that are to be and
    /// that may be reported, the rules that the fixture decides, each rule with its
    /// level, and the releases of the protocol at which it holds. In whatever order
    /// and with whatever comments it is written.
    #[serde(deserialize_with = "crate::core::unique_map")]
    pub cases: BTreeMap<String, Digest>,
}

impl Frozen {
    /// The digests of a fixture as it is.
    #[must_use]
    pub fn of(fixture: &Fixture, rules: &RuleTable) -> Self {
        let mut documents = Hasher::default();
        for document in &fixture.documents {
            documents.text(&document.name).text(&document.path).bytes(&document.bytes.digest());
        }
        let cases = fixture.cases.iter();
        let cases = cases.map(|(name, case)| (name.clone(), of_case(fixture, case, rules)));
        Self { documents: documents.end(), cases: cases.collect() }
    }
}

fn of_case(fixture: &Fixture, case: &Expectation, rules: &RuleTable) -> Digest {
    let mut hasher = Hasher::default();
    hasher.text(&fixture.since.to_string());
    hasher.text(&fixture.before.map_or_else(String::new, |before| before.to_string()));
    let mut decides: Vec<_> = fixture.decides.iter().collect();
    decides.sort_unstable();
    hasher.count(decides.len());
    for id in decides {
        let level = rules.rule(id).map_or(Level::None, |rule| rule.level);
        hasher.text(id.as_str()).text(level.as_str());
    }
    hasher.text(case.stance.as_str());
    // Without a golden nothing is said of findings.
    hasher.count(usize::from(case.findings.is_some()));
    for findings in [case.findings.as_deref().unwrap_or_default(), &case.permitted] {
        let mut findings: Vec<&ExpectedFinding> = findings.iter().collect();
        findings.sort_unstable_by_key(|finding| (&finding.rule, &finding.at));
        findings.dedup_by_key(|finding| (&finding.rule, &finding.at));
        hasher.count(findings.len());
        for ExpectedFinding { rule: id, at, .. } in findings {
            let report = rules.rule(id).map_or(Level::Should, |rule| rule.report);
            hasher.text(id.as_str()).text(at).text(report.as_str());
        }
    }
    hasher.end()
}

/// Takes texts one after the other so that no two lists of them are alike.
#[derive(Default)]
pub(super) struct Hasher(Sha256);

impl Hasher {
    pub(super) fn count(&mut self, count: usize) -> &mut Self {
        self.0.update((count as u64).to_le_bytes());
        self
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.count(bytes.len());
        self.0.update(bytes);
        self
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    pub(super) fn end(self) -> Digest {
        let mut kept = [0; LENGTH];
        kept.copy_from_slice(&self.0.finalize()[..LENGTH]);
        Digest(kept)
    }
}

impl Digest {
    fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let text: &[u8; 2 * LENGTH] = text.as_bytes().try_into().ok()?;
        let mut bytes = [0; LENGTH];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Digest;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a digest: 32 hex digits in quotes")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
                Digest::parse(text)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::testing::{expect, finding, fixture, id, rules};
    use crate::core::{Category, Document, LedgerId, Stance};

    fn of(change: impl FnOnce(&mut Fixture)) -> Frozen {
        let findings = [finding("t.id.charset", "/id"), finding("t.unknown", "/x")];
        let mut fixture = fixture(
            "a",
            &["t.id.charset", "t.unknown"],
            expect(Stance::Accept, &findings),
            expect(Stance::Reject, &findings),
        );
        let bytes = b"id: A"[..].into();
        fixture.documents = vec![Document { name: "doc".into(), path: "doc.yaml".into(), bytes }];
        change(&mut fixture);
        Frozen::of(&fixture, &rules())
    }

    fn hard(fixture: &mut Fixture) -> &mut Expectation {
        fixture.cases.get_mut("hard").unwrap()
    }

    #[test]
    fn what_implementations_are_not_held_to_does_not_count() {
        let as_it_is = of(|_| {});
        let changes: [fn(&mut Fixture); 7] = [
            |it| it.about = "other words".into(),
            |it| it.category = Some(Category::Boundary),
            |it| _ = it.except_variants.insert("crlf".into(), "it is about that".into()),
            |it| _ = it.twins.insert("t/b".into(), "both".into()),
            |it| it.decides.reverse(),
            |it| hard(it).findings.as_mut().unwrap().reverse(),
            |it| hard(it).ledger.push(LedgerId::new("L1").unwrap()),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            assert_eq!(of(change), as_it_is, "{index}");
        }
    }

    #[test]
    #[allow(clippy::type_complexity, reason = "a table")]
    fn what_implementations_are_held_to_does() {
        let as_it_is = of(|_| {});
        // What it changes of the documents, of lenient and of strict.
        let changes: [(fn(&mut Fixture), [bool; 3]); 9] = [
            (|it| it.documents[0].bytes = b"id: B"[..].into(), [true, false, false]),
            (|it| it.documents[0].path = "doc.yml".into(), [true, false, false]),
            (|it| hard(it).stance = Stance::Accept, [false, false, true]),
            (|it| hard(it).findings = None, [false, false, true]),
            (|it| _ = hard(it).findings.as_mut().unwrap().pop(), [false, false, true]),
            (|it| hard(it).permitted.push(finding("t.id.required", "")), [false, false, true]),
            (|it| _ = it.decides.pop(), [false, true, true]),
            (|it| it.decides[1] = id("t.open.may"), [false, true, true]),
            (|it| it.since = "v0.3.0".parse().unwrap(), [false, true, true]),
        ];
        for (index, (change, differ)) in changes.into_iter().enumerate() {
            let now = of(change);
            let differs = |name: &str| now.cases[name] != as_it_is.cases[name];
            let told = [now.documents != as_it_is.documents, differs("soft"), differs("hard")];
            assert_eq!(told, differ, "{index}");
        }
    }

    #[test]
    fn the_level_of_a_rule_counts() {
        let text = serde_json::json!({
            "id": "t.a.b", "level": "SHOULD", "since": "v0.1.0", "section": "s",
            "statement": "it holds", "names": ["b"], "effect": {"hard": "reject"},
        });
        let frozen = |change: &dyn Fn(&mut serde_json::Value)| {
            let mut row = text.clone();
            change(&mut row);
            let mut table = RuleTable::default();
            table.add_rule("t", serde_json::from_value(row).unwrap()).unwrap();
            let findings = [finding("t.a.b", "/b")];
            let hard = expect(Stance::Reject, &findings);
            Frozen::of(&fixture("a", &["t.a.b"], hard.clone(), hard), &table)
        };
        let as_it_is = frozen(&|_| {});
        assert_ne!(frozen(&|row| row["level"] = "MUST".into()), as_it_is);
        assert_ne!(frozen(&|row| row["report"] = "MUST".into()), as_it_is);
        assert_eq!(frozen(&|row| row["statement"] = "it does".into()), as_it_is);
    }

    #[test]
    fn a_digest_has_one_form() {
        let digest = of(|_| {}).documents;
        let text = digest.to_string();
        assert_eq!(text.len(), 32);
        let read = |text: &str| serde_json::from_value::<Digest>(text.into());
        assert_eq!(read(&text).unwrap(), digest);
        for bad in ["", &text[1..], &text.to_uppercase(), "xyzw", &"é".repeat(16)] {
            assert!(read(bad).is_err() || bad == text, "{bad:?}");
        }
    }
}
