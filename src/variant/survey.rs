//! Finds out which variants fixtures have.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

use super::{Original, Unmade};
use crate::core::{Fixture, LostVariant, Protocol, Suite, Variant, Variants, Varied};

/// Makes every variant of the fixtures that hold at a protocol version, proves that it
/// means the same, and lets go of it: what there is can be made again.
#[must_use]
pub fn survey(
    suites: &[Suite],
    fixtures: &[Arc<Fixture>],
    protocol: Protocol,
    threads: NonZeroUsize,
) -> Variants {
    let of = |fixture: &'_ Fixture| suites.iter().find(|it| it.suite == fixture.id.suite());
    let held: Vec<(&Fixture, &Suite)> = fixtures
        .iter()
        .filter(|fixture| fixture.holds_at(protocol))
        .filter_map(|fixture| Some((fixture.as_ref(), of(fixture)?)))
        .collect();
    let share = held.len().div_ceil(threads.get()).max(1);
    let look = |part: &[(&Fixture, &Suite)]| {
        let mut variants = Variants::default();
        part.iter().for_each(|(fixture, suite)| look_at(fixture, suite, &mut variants));
        variants
    };
    let parts: Vec<Variants> = thread::scope(|scope| {
        let workers: Vec<_> = held.chunks(share).map(|part| scope.spawn(|| look(part))).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Variants>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    });
    parts.into_iter().fold(Variants::default(), joined)
}

fn look_at(fixture: &Fixture, suite: &Suite, variants: &mut Variants) {
    let census = &mut variants.census;
    let Some(original) = Original::read(fixture, suite) else {
        census.unparsed += Variant::ALL.len();
        return;
    };
    let mut made = Vec::new();
    for variant in Variant::ALL {
        match original.vary(variant) {
            Ok(documents) => {
                census.made += 1;
                made.push(Varied { variant, documents: original.changed(&documents) });
            }
            Err(Unmade::Excepted) => census.excepted += 1,
            Err(Unmade::Same) => census.same += 1,
            Err(Unmade::Unparsed) => census.unparsed += 1,
            Err(Unmade::Lost(loss)) => {
                let (fixture, why) = (fixture.id.clone(), loss.to_string());
                census.lost.push(LostVariant { fixture, variant, why });
            }
        }
    }
    if !made.is_empty() {
        variants.of.insert(fixture.id.clone(), made);
    }
}

fn joined(mut all: Variants, part: Variants) -> Variants {
    all.of.extend(part.of);
    all.census.made += part.census.made;
    all.census.excepted += part.census.excepted;
    all.census.same += part.census.same;
    all.census.unparsed += part.census.unparsed;
    all.census.lost.extend(part.census.lost);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::testing;
    use crate::core::{Document, DocumentKind, Expectation, Release, Stance, VariantCensus};

    fn fixture(path: &str, text: &str) -> Fixture {
        let accept = || -> Expectation { testing::expect(Stance::Accept, &[]) };
        let document =
            Document { name: "doc".into(), path: "doc.yaml".into(), bytes: text.as_bytes().into() };
        let documents = vec![document];
        Fixture { documents, ..testing::fixture(path, &["t.unknown"], accept(), accept()) }
    }

    fn names(variants: &Variants, path: &str) -> Vec<&'static str> {
        let made = variants.of.iter().filter(|(id, _)| id.path() == path).flat_map(|(_, it)| it);
        made.map(|varied| varied.variant.as_str()).collect()
    }

    fn look(suite: &Suite, fixtures: Vec<Fixture>) -> Variants {
        let fixtures: Vec<_> = fixtures.into_iter().map(Arc::new).collect();
        let threads = NonZeroUsize::new(2).unwrap();
        let protocol = Protocol::new(0, 1);
        let variants = survey(std::slice::from_ref(suite), &fixtures, protocol, threads);
        let VariantCensus { made, excepted, same, unparsed, lost } = &variants.census;
        let all = made + excepted + same + unparsed + lost.len();
        let held = fixtures.iter().filter(|it| it.holds_at(protocol)).count();
        assert_eq!(all, held * Variant::ALL.len(), "none is lost without a word");
        assert_eq!(*made, variants.of.values().map(Vec::len).sum::<usize>());
        variants
    }

    #[test]
    fn every_variant_is_accounted_for() {
        let mut excepted = fixture("excepted", "a: b\nc: d\n");
        excepted.except_variants = [("crlf".to_owned(), "why".to_owned())].into();
        let mut later = fixture("later", "a: b\nc: d\n");
        later.since = Release::new(0, 3, 0);
        let variants = look(
            &testing::suite(),
            vec![
                excepted,
                later,
                fixture("all", "a: b\nc: d\n"),
                fixture("broken", "a: [b\n"),
                fixture("tagged", "\u{feff}a: !x 1\n"),
            ],
        );
        let all = Variant::ALL.map(Variant::as_str);
        assert_eq!(names(&variants, "all"), all);
        let others: Vec<_> = all.iter().copied().filter(|&it| it != "crlf").collect();
        assert_eq!(names(&variants, "excepted"), others);
        assert!(names(&variants, "later").is_empty() && names(&variants, "broken").is_empty());
        assert_eq!(names(&variants, "tagged"), ["crlf", "commented", "quoted", "marker"]);
        let VariantCensus { made, excepted, same, unparsed, lost } = &variants.census;
        assert_eq!((*made, *excepted, *same, *unparsed), (17, 1, 2, 7));
        let lost: Vec<String> =
            lost.iter().map(|it| format!("{} {}: {}", it.fixture, it.variant, it.why)).collect();
        assert_eq!(lost, ["t/tagged json: JSON has no tags"]);
    }

    #[test]
    fn the_suite_says_which_documents_vary() {
        let mut suite = testing::suite();
        let kind: &mut DocumentKind = suite.documents.get_mut("doc").unwrap();
        kind.except_variants = serde_yaml::from_str(
            "[{variants: [crlf, bom], reason: x}, {variants: [json], files: [other], reason: x}]",
        )
        .unwrap();
        let variants = look(&suite, vec![fixture("a", "a: b\nc: d\n")]);
        let others = ["reversed", "commented", "json", "quoted", "marker"];
        assert_eq!(names(&variants, "a"), others);
        suite.documents.get_mut("doc").unwrap().exact = true;
        let variants = look(&suite, vec![fixture("a", "a: b\nc: d\n")]);
        assert_eq!((variants.of.len(), variants.census.excepted), (0, 7));
    }

    #[test]
    fn what_is_json_stays_json() {
        let mut fixture = fixture("a", "{\"a\": 1,\n \"b\": 1.0}\n");
        fixture.documents[0].path = "doc.json".into();
        let variants = look(&testing::suite(), vec![fixture.clone()]);
        assert_eq!(names(&variants, "a"), ["reversed", "crlf", "json"]);
        let made = crate::variant::vary(&fixture, &testing::suite(), Variant::Reversed).unwrap();
        assert_eq!(&*made.documents[0].bytes, b"{\"b\": 1.0, \"a\": 1}\n");
        fixture.documents[0].bytes = "{a: 1}".as_bytes().into();
        assert_eq!(look(&testing::suite(), vec![fixture]).census.unparsed, 7);
    }
}
