//! Manifests and runtime documents that are valid or nearly so: each field is mostly
//! right, and sometimes missing, of another type, or just beyond a limit.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::string::string_regex;
use serde_json::{Map, Value, json};

const CAPABILITIES: [&str; 6] = [
    "run_tasks",
    "publish_state",
    "open_pull_requests",
    "snapshot_restore",
    "handoff",
    "read_secrets",
];

type Field = BoxedStrategy<Option<Value>>;

pub(crate) fn manifest() -> impl Strategy<Value = Value> {
    let fields = (
        field(
            text(
                "v(0\\.([4-9]|[1-9][0-9])|[1-9]\\.[0-9])\\.[0-9](-[a-z0-9]{1,5}(\\.[a-z0-9]{1,3})?)?",
            ),
            version(),
        ),
        field(text("[a-z0-9][a-z0-9-]{0,62}"), project_id()),
        field(capabilities(), list_of(word(&CAPABILITIES))),
        field(one_of(&["dedicated-vm", "container", "sandbox-process"]), word(&["dedicated-vm"])),
        field(state_publication(), Just(json!({})).boxed()),
        field(logging(), Just(json!({})).boxed()),
        optional(snapshot(), Just(json!({})).boxed()),
        optional(secrets(), list_of(secret())),
    );
    let names = [
        "protocol_version",
        "project_id",
        "agent_capabilities",
        "isolation_profile",
        "state_publication",
        "logging_requirements",
        "snapshot",
        "secrets",
    ];
    let manifest = (fields, extra())
        .prop_map(move |((a, b, c, d, e, f, g, h), extra)| {
            object(names.into_iter().zip([a, b, c, d, e, f, g, h]), extra)
        })
        .prop_flat_map(declare);
    seldom(any_value(), manifest.boxed())
}

pub(crate) fn runtime() -> impl Strategy<Value = Value> {
    let version = || text("v[0-9]{1,2}\\.[0-9]{1,2}");
    let near_version = prop_oneof![
        one_of(&["v0", "0.1", "v0.1.0", "v0.1\n", " v0.1", "v0.", "V0.1", "v0.x"]),
        any_value()
    ];
    let lists = (
        field(list(version(), 1), list_of(near_version.boxed())),
        field(list(one_of(&CAPABILITIES), 0), list_of(any_value())),
        field(list(one_of(&["container", "dedicated-vm"]), 1), list_of(any_value())),
        field(list(one_of(&["file", "webhook"]), 1), list_of(any_value())),
    );
    let names = [
        "runtime",
        "protocol_versions",
        "agent_capabilities",
        "isolation_profiles",
        "state_publication_targets",
    ];
    let document = (field(text("[a-z]{1,9}"), text("[ A-Z\n]{1,3}")), lists, extra()).prop_map(
        move |(runtime, (a, b, c, d), extra)| {
            object(names.into_iter().zip([runtime, a, b, c, d]), extra)
        },
    );
    seldom(any_value(), document.boxed())
}

/// Secrets call for a capability: mostly it is there.
fn declare(manifest: Value) -> impl Strategy<Value = Value> {
    any::<prop::sample::Index>().prop_map(move |index| {
        let mut manifest = manifest.clone();
        let wanted = manifest.get("secrets").is_some() && index.index(8) > 0;
        if let Some(Value::Array(capabilities)) = manifest.get_mut("agent_capabilities")
            && wanted
            && !capabilities.contains(&json!("read_secrets"))
        {
            capabilities.push(json!("read_secrets"));
        }
        manifest
    })
}

fn version() -> BoxedStrategy<Value> {
    let odd = [
        "v0.1",
        "0.1.0",
        "V0.1.0",
        "v0.1.0\n",
        "\nv0.1.0",
        " v0.1.0",
        "v0.1.0-",
        "v0.1.0-a..b",
        "v01.0.0",
        "v0.1.0+build",
        "v0.1.0-a_b",
        "v0.1.0.0",
        "v٠.1.0",
        "v1.0.0-é",
        "",
        "v0.1.0-rc.1+2",
        "vv0.1.0",
    ];
    prop_oneof![one_of(&odd), text("[v0-9.a+\n-]{0,10}")].boxed()
}

fn project_id() -> BoxedStrategy<Value> {
    let odd = ["", "-", "-a", "Hello", "a_b", "é", "aé", "a b", "a\n", "hello ", "a.b", "٣", "ａ"];
    prop_oneof![one_of(&odd), text("[a-z0-9-]{62,66}"), text("[a-zA-Z_é-]{0,4}")].boxed()
}

fn capabilities() -> BoxedStrategy<Value> {
    subsequence(CAPABILITIES.to_vec(), 1..=5).prop_shuffle().prop_map(|list| json!(list)).boxed()
}

fn state_publication() -> BoxedStrategy<Value> {
    let target = one_of(&["control-process", "file", "file", "webhook", "webhook"]);
    let path = prop_oneof![
        12 => text("\\.?[a-z]{1,6}(/[a-z]{1,6}){0,2}"),
        1 => one_of(&["/", "/state.json", "//x", "../x", "a\\b", "C:/x", "", "a\nb", "\n", "./x", "~/x"]),
    ];
    let url = prop_oneof![
        12 => text("https://[a-z]{1,8}\\.example(/[a-z]{0,4}){0,2}"),
        1 => url(),
    ];
    let names = ["target", "path", "url"];
    (field(target, word(&["file"])), likely(path.boxed()), likely(url.boxed()), extra())
        .prop_map(move |(target, path, url, extra)| {
            object(names.into_iter().zip([target, path, url]), extra)
        })
        .boxed()
}

/// URLs put together of parts that are good or bad.
fn url() -> BoxedStrategy<Value> {
    let scheme =
        select(vec!["https", "http", "HTTPS", "Https", "ftp", "", "httpsx", " https", "ws"]);
    let joint = select(vec!["://", "://", "://", ":", ":/", ":///", "", ":\\\\"]);
    let host = select(vec![
        "h.example",
        "h.example",
        "",
        "user@h.example",
        "@",
        ":443",
        "h:",
        "h:99999",
        "[::1]",
        "[",
        "h_x",
        "é.example",
        "h example",
        "%68",
        "h\n",
        "127.0.0.1",
        "user@",
        "?",
        "#",
    ]);
    let rest = select(vec!["", "/", "/p", "?q", "#f", "/a b", "\\p", "/\n", "//x"]);
    (scheme, joint, host, rest).prop_map(|(a, b, c, d)| json!(format!("{a}{b}{c}{d}"))).boxed()
}

fn logging() -> BoxedStrategy<Value> {
    let structured = any::<bool>().prop_map(|value| json!(value)).boxed();
    let level = one_of(&["debug", "info", "warn", "error"]);
    let wrong = one_of(&["true", "yes", "", "on"]);
    let names = ["structured", "level"];
    (field(structured, wrong), optional(level, word(&["warn"])), extra())
        .prop_map(move |(structured, level, extra)| {
            object(names.into_iter().zip([structured, level]), extra)
        })
        .boxed()
}

fn snapshot() -> BoxedStrategy<Value> {
    let good = text("\\.?[a-z][a-z0-9]{0,4}(/[a-z]{1,4}){0,2}");
    let part = select(vec!["a", "a", "..", ".", "", "a..b", "...", "b\\c", "x\n", "~"]);
    let path = vec(part, 1..4).prop_map(|parts| json!(parts.join("/")));
    let odd = list_of(prop_oneof![3 => path, 1 => any_value()].boxed());
    // Paths have more to go wrong than other entries.
    let paths = prop_oneof![2 => list(good, 1), 1 => odd.clone()];
    let days = (1..400i64).prop_map(|days| json!(days)).boxed();
    let odd_days = prop_oneof![
        (-2..3i64).prop_map(|days| json!(days)),
        select(vec![
            json!(7.0),
            json!(0.5),
            json!(1.5),
            json!("7"),
            json!(true),
            json!(u64::MAX),
            json!(-0.0)
        ])
    ];
    let names = ["paths", "retention_days"];
    (field(paths.boxed(), odd), optional(days, odd_days.boxed()), extra())
        .prop_map(move |(paths, days, extra)| object(names.into_iter().zip([paths, days]), extra))
        .boxed()
}

fn secrets() -> BoxedStrategy<Value> {
    let name = text("[A-Z][A-Z0-9_]{0,9}");
    prop_oneof![3 => list(name.clone(), 1), 1 => list_of(name)].boxed()
}

fn secret() -> BoxedStrategy<Value> {
    let odd = ["", "A", "a", "1A", "_A", "A-B", "TOKEN\n", " A", "É", "A B", "A=b"];
    prop_oneof![one_of(&odd), text("[A-Z][A-Z0-9_]{126,129}"), any_value()].boxed()
}

/// A field that has to be there: mostly good, seldom near, of another type, or missing.
fn field(good: BoxedStrategy<Value>, near: BoxedStrategy<Value>) -> Field {
    prop_oneof![
        92 => good.prop_map(Some),
        5 => near.prop_map(Some),
        2 => any_value().prop_map(Some),
        1 => Just(None),
    ]
    .boxed()
}

/// A field that need not be there, and mostly is not.
fn optional(good: BoxedStrategy<Value>, near: BoxedStrategy<Value>) -> Field {
    prop_oneof![2 => Just(None), 1 => field(good, near)].boxed()
}

/// A field that need not be there, and mostly is.
fn likely(good: BoxedStrategy<Value>) -> Field {
    prop_oneof![47 => good.prop_map(Some), 1 => any_value().prop_map(Some), 2 => Just(None)].boxed()
}

/// Once in fifty times something else altogether.
fn seldom(other: BoxedStrategy<Value>, usual: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop_oneof![49 => usual, 1 => other].boxed()
}

/// Distinct entries.
fn list(entry: BoxedStrategy<Value>, least: usize) -> BoxedStrategy<Value> {
    vec(entry, least..4)
        .prop_map(|entries| {
            let mut distinct: Vec<Value> = Vec::new();
            for entry in entries {
                if !distinct.contains(&entry) {
                    distinct.push(entry);
                }
            }
            Value::Array(distinct)
        })
        .boxed()
}

/// Entries of any number, now and then twice.
fn list_of(entry: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    (vec(entry, 0..4), any::<bool>())
        .prop_map(|(mut entries, again)| {
            entries.extend(entries.first().cloned().filter(|_| again));
            Value::Array(entries)
        })
        .boxed()
}

fn one_of(texts: &[&str]) -> BoxedStrategy<Value> {
    select(texts.iter().map(|text| json!(text)).collect::<Vec<_>>()).boxed()
}

/// A word of a set, or one that is nearly in it.
fn word(texts: &[&str]) -> BoxedStrategy<Value> {
    (select(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()), 0..8u8)
        .prop_map(|(text, how)| match how {
            0 => json!(text.to_uppercase()),
            1 => json!(text.replace('_', "-")),
            2 => json!(format!("{text}s")),
            3 => json!(format!("{text}\n")),
            4 => json!(format!(" {text}")),
            5 => json!(""),
            _ => json!(text),
        })
        .boxed()
}

fn any_value() -> BoxedStrategy<Value> {
    select(vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(12),
        json!(1.5),
        json!(""),
        json!("x"),
        json!([]),
        json!(["run_tasks"]),
        json!([null]),
        json!([["x"]]),
        json!({}),
        json!({"target": "control-process"}),
        json!({"structured": true}),
        json!({"x-y": 1}),
    ])
    .boxed()
}

/// Now and then a key that is an extension at the top level and unknown below, or
/// unknown everywhere.
fn extra() -> BoxedStrategy<Vec<(String, Value)>> {
    let keys = vec![
        "x-team",
        "x-",
        "x-é",
        "x-\n",
        "X-team",
        "x_team",
        "x",
        " x-a",
        "foo",
        "",
        "Project_id",
        "targets",
        "url ",
        "a/b",
        "~",
        "snapshots",
        "secret",
    ];
    let key = prop_oneof![2 => Just("x-team"), 1 => select(keys)].prop_map(str::to_owned);
    prop_oneof![24 => Just(Vec::new()), 1 => vec((key, any_value()), 1..3)].boxed()
}

fn text(regex: &str) -> BoxedStrategy<Value> {
    string_regex(regex).unwrap_or_else(|e| panic!("{regex}: {e}")).prop_map(Value::String).boxed()
}

fn object<'a>(
    fields: impl Iterator<Item = (&'a str, Option<Value>)>,
    extra: Vec<(String, Value)>,
) -> Value {
    let fields = fields.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.chain(extra).collect::<Map<_, _>>())
}
