use std::sync::Arc;

use super::*;
use crate::core::testing::{expect, failing, fixture, header, passing, rules, suite};
use crate::core::{Count, Coverage, Level, Listed, Plan, Protocol, Selection, Stance};

/// The plan of one of several shards of six fixtures with two cases each.
fn plan(shard: &str) -> Plan {
    let accept = || expect(Stance::Accept, &[]);
    let fixtures: Vec<_> = (0..6)
        .map(|n| Arc::new(fixture(&format!("n{n}"), &["t.unknown"], accept(), accept())))
        .collect();
    let mut selection = Selection::all(Protocol::new(0, 1));
    selection.skip = vec!["n5".into()];
    selection.shard = Some(shard.parse().unwrap());
    Plan::new(&[suite()], &fixtures, &selection)
}

/// The report of a shard that ran the first `ran` of its cases, each as `judge` has it.
fn piece(shard: &str, ran: usize, judge: impl Fn(&str) -> CaseRecord) -> Piece {
    let plan = plan(shard);
    let header = Header {
        cases: plan.len(),
        left_out: plan.left_out.clone(),
        shard: Some(Sharded {
            part: plan.shard.unwrap(),
            elsewhere: plan.left_for(LeftOut::OtherShard).cloned().collect(),
        }),
        ..header()
    };
    let mut count = Count::new(&header);
    let cases: Vec<CaseRecord> = plan.cases().take(ran).map(|id| judge(id.as_str())).collect();
    cases.iter().for_each(|case| count.add(case));
    count.add_missing(plan.cases().skip(ran));
    let coverage = Coverage::of(&rules(), header.protocol, []);
    let stopped = (ran < plan.len()).then_some(Stopped::FailFast);
    let version = Some("1.0".to_owned());
    let summary = count.finish(&coverage, &BTreeMap::new(), stopped, version, 10);
    let report = Report::new(header, cases, summary, &rules(), &coverage);
    Piece { name: format!("{shard}.json"), report }
}

fn all() -> Vec<Piece> {
    ["slice:1/3", "slice:2/3", "slice:3/3"].map(|shard| piece(shard, 9, passing)).into()
}

fn error(pieces: &[Piece]) -> String {
    join(pieces).unwrap_err().to_string()
}

#[test]
fn all_shards_give_the_whole() {
    let mut pieces = all();
    pieces.reverse();
    let joined = join(&pieces).unwrap();
    assert_eq!(joined.cases.len(), 10);
    assert_eq!((joined.header.cases, joined.header.shard.as_ref()), (10, None));
    assert!(joined.missing.is_empty() && joined.absent.is_empty());
    // What was skipped stays left out.
    let left_out = BTreeMap::from([(LeftOut::Skipped, 1)]);
    assert!(joined.header.left_out.values().all(|reasons| *reasons == left_out));
    assert_eq!(joined.duration_us, 30);
    assert_eq!(joined.version.as_deref(), Some("1.0"));
}

#[test]
fn what_is_missing_is_named() {
    let mut pieces = all();
    pieces.remove(1);
    let joined = join(&pieces).unwrap();
    let ids: Vec<&str> = joined.missing.iter().map(CaseId::as_str).collect();
    assert_eq!(ids, ["t/n1::hard", "t/n1::soft", "t/n4::hard", "t/n4::soft"]);
    assert_eq!(joined.header.cases, 10);
    let absent: Vec<String> = joined.absent.iter().map(ToString::to_string).collect();
    assert_eq!(absent, ["slice:2/3"]);
    // Of a shard that ended early, what it did not come to.
    let mut pieces = all();
    pieces[0] = piece("slice:1/3", 3, passing);
    let joined = join(&pieces).unwrap();
    assert_eq!(joined.missing.iter().map(CaseId::as_str).collect::<Vec<_>>(), ["t/n3::soft"]);
    assert_eq!(joined.stopped, Some(Stopped::FailFast));
    // Even when it is the only one.
    let joined = join(&pieces[..1]).unwrap();
    assert_eq!((joined.missing.len(), joined.absent.len()), (7, 2));
}

#[test]
fn what_is_not_of_one_run_is_refused() {
    let changed = |change: fn(&mut Report)| {
        let mut pieces = all();
        change(&mut pieces[2].report);
        error(&pieces)
    };
    for (text, said) in [
        (changed(|it| it.header.suite_digest = "sha256:1".into()), "different suites"),
        (changed(|it| it.header.protocol = Protocol::new(0, 3)), "v0.1 and v0.3"),
        (changed(|it| it.header.implementation.name = "ours".into()), "different implementations"),
        (
            changed(|it| it.header.implementation.command.push("-x".into())),
            "theirs (exec: ./theirs) and theirs (exec: ./theirs -x)",
        ),
        (
            changed(|it| it.summary.implementation_version = Some("1.1".into())),
            "different versions of the implementation, 1.0 and 1.1",
        ),
        (changed(|it| it.header.program = "9.9.9".into()), "different versions of the program"),
        (changed(|it| it.header.enforce = Level::Should), "MUST and SHOULD"),
        (changed(|it| drop(it.header.left_out.remove("soft-checker"))), "selections"),
    ] {
        assert!(text.starts_with("join slice:1/3.json and slice:3/3.json: "), "{text}");
        assert!(text.contains(said), "{text}");
    }
    let whole = changed(|it| it.header.shard = None);
    assert!(whole.contains("slice:3/3.json: it is the report of a whole run"), "{whole}");
    assert_eq!(error(&[]), "join reports: there is none");
    let twice = error(&[piece("slice:1/3", 9, passing), piece("slice:1/3", 9, passing)]);
    assert!(twice.ends_with("both are of shard slice:1/3"), "{twice}");
    let other = error(&[piece("slice:1/3", 9, passing), piece("hash:2/3", 9, passing)]);
    assert!(other.contains("do not go together, slice:1/3 and hash:2/3"), "{other}");
}

#[test]
fn shards_of_other_cases_are_refused() {
    let mut pieces = all();
    let shard = pieces[1].report.header.shard.as_mut().unwrap();
    let gone = shard.elsewhere.remove(0);
    let text = error(&pieces);
    assert!(text.ends_with(&format!("do not share the same cases, such as {gone}")), "{text}");
    let mut pieces = all();
    let more = CaseId::try_from("t/other::hard".to_owned()).unwrap();
    pieces[2].report.header.shard.as_mut().unwrap().elsewhere.push(more);
    let text = error(&pieces);
    assert!(text.ends_with("such as t/other::hard"), "{text}");
}

#[test]
fn the_list_of_expected_failures_is_held_against_all_shards() {
    let misfit = |why| Misfit { entry: "expect.yaml:2".into(), name: "rule t.unknown".into(), why };
    let with = |whys: [Vec<MisfitWhy>; 3]| {
        let mut pieces = all();
        for (piece, whys) in pieces.iter_mut().zip(whys) {
            piece.report.summary.misfits = whys.into_iter().map(misfit).collect();
        }
        pieces
    };
    let never = |elsewhere| MisfitWhy::NeverFails { elsewhere };
    let pieces = with([vec![never(6)], vec![never(7)], vec![never(5)]]);
    assert_eq!(join(&pieces).unwrap().misfits, [misfit(never(0))]);
    assert_eq!(join(&pieces[..2]).unwrap().misfits, [misfit(never(6))], "it may be in the third");
    // One shard has the failure.
    let mut pieces = with([vec![never(6)], vec![never(7)], vec![]]);
    let mut known = failing("t/n2::hard", Level::Must);
    known.disposition = Disposition::ExpectedFailure(Listed {
        entry: "expect.yaml:2".into(),
        reason: "later".into(),
        tracker: None,
    });
    pieces[2].report.cases[0] = known;
    assert!(join(&pieces).unwrap().misfits.is_empty());
    let skipped = || MisfitWhy::Skipped { cases: 2 };
    let unsupported = |cases| MisfitWhy::Unsupported { cases };
    let pieces =
        with([vec![skipped(), unsupported(1)], vec![skipped()], vec![skipped(), unsupported(2)]]);
    assert_eq!(join(&pieces).unwrap().misfits, [misfit(skipped()), misfit(unsupported(3))]);
}
