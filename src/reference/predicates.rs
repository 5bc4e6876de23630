//! Every test of a single value or set, each replaceable.

use std::collections::HashSet;

use super::{Question, Reduced, Version, pathname, url, version};
use crate::core::{Effect, Release};
use crate::yaml::{Integer, Kind};

/// How a manifest is validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Only the rules of v0.1.0 reject.
    Lenient,
    /// Every rule rejects.
    Strict,
}

/// What a rule is to the modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// A required field or a basic type of v0.1.0.
    Basic,
    /// Anything else that is required.
    Value,
    /// A recommendation.
    Recommended,
}

/// Whether a value keeps a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fit {
    /// It does.
    Holds,
    /// It does not.
    Breaks,
    /// The spec leaves it open.
    Open {
        /// The question.
        question: Question,
        /// What the reference makes of it.
        holds: bool,
    },
}

/// A field with the release that brought it.
pub type Since = (&'static str, Release);

const V0_1: Release = Release::new(0, 1, 0);
const V0_3: Release = Release::new(0, 3, 0);
const V0_4: Release = Release::new(0, 4, 0);

/// The tests that the rules are made of.
///
/// A broken implementation is [`REFERENCE`] with one of them replaced.
#[derive(Debug, Clone, Copy)]
pub struct Predicates {
    /// What a broken rule of a class does in a mode.
    pub effect: fn(Mode, Class) -> Effect,

    /// Whether it refuses what this question is about, where loaders differ on
    /// what they read: duplicate keys, loose indentation, several documents.
    pub refuses: fn(Question) -> bool,

    /// Whether a value is a string.
    pub is_string: fn(&Kind) -> bool,
    /// Whether a value is a boolean.
    pub is_boolean: fn(&Kind) -> bool,
    /// Whether a value is an integer; with the flag, where the narrow reading
    /// of L12 is meant: neither 7.0 nor what 64 bits do not hold.
    pub is_integer: fn(&Kind, bool) -> bool,
    /// Whether a value is a sequence.
    pub is_sequence: fn(&Kind) -> bool,
    /// Whether a value is a mapping.
    pub is_mapping: fn(&Kind) -> bool,

    /// The fields of a manifest.
    pub manifest_fields: &'static [Since],
    /// Those that are required.
    pub manifest_required: &'static [&'static str],
    /// The fields of `state_publication`.
    pub state_fields: &'static [&'static str],
    /// Those that are required.
    pub state_required: &'static [&'static str],
    /// The fields of `logging_requirements`.
    pub logging_fields: &'static [&'static str],
    /// Those that are required.
    pub logging_required: &'static [&'static str],
    /// The fields of `snapshot`.
    pub snapshot_fields: &'static [&'static str],
    /// Those that are required.
    pub snapshot_required: &'static [&'static str],
    /// The fields of a runtime document.
    pub runtime_fields: &'static [&'static str],
    /// Those that are required.
    pub runtime_required: &'static [&'static str],
    /// Whether a top-level key is an extension.
    pub is_extension: fn(&str) -> bool,
    /// Whether a key of a nested mapping is an extension; none is.
    pub is_nested_extension: fn(&str) -> bool,

    /// Whether a text is a manifest's version by the spec's pattern.
    pub version_pattern: fn(&str) -> bool,
    /// Whether a version of the pattern is one by SemVer.
    pub version_semantic: fn(&str) -> bool,
    /// Whether a character may stand in a project id.
    pub project_id_character: fn(char) -> bool,
    /// Whether a project id may start with this; `None` for an empty one.
    pub project_id_first: fn(Option<char>) -> bool,
    /// Characters that a project id may have.
    pub project_id_max: usize,
    /// The capabilities.
    pub capabilities: &'static [Since],
    /// Entries that `agent_capabilities` has at least.
    pub capabilities_min: usize,
    /// Whether its entries are distinct.
    pub capabilities_distinct: fn(&[&str]) -> bool,
    /// The isolation profiles.
    pub isolation_profiles: &'static [&'static str],
    /// The targets of `state_publication`.
    pub targets: &'static [&'static str],
    /// The targets that need a path.
    pub path_targets: &'static [&'static str],
    /// The targets that need a URL.
    pub url_targets: &'static [&'static str],
    /// Whether a state path is relative.
    pub state_path: fn(&str) -> Fit,
    /// Whether a URL is an `https://` URL.
    pub https_url: fn(&str) -> Fit,
    /// The levels of logging.
    pub levels: &'static [&'static str],
    /// Entries that `snapshot.paths` has at least.
    pub paths_min: usize,
    /// Whether its entries are distinct.
    pub paths_distinct: fn(&[&str]) -> bool,
    /// Whether a snapshot path does not start at the root.
    pub path_not_absolute: fn(&str) -> Fit,
    /// Whether a snapshot path has no parent in it.
    pub path_no_parent: fn(&str) -> Fit,
    /// Whether a number of days is enough.
    pub retention_days: fn(&Kind) -> bool,
    /// Entries that `secrets` has at least.
    pub secrets_min: usize,
    /// Whether its entries are distinct.
    pub secrets_distinct: fn(&[&str]) -> bool,
    /// Whether a text is the name of a secret.
    pub secret_name: fn(&str) -> bool,
    /// Whether secrets may be listed beside these capabilities.
    pub secrets_declared: fn(&[&str]) -> bool,
    /// Whether the capabilities make a snapshot advisable.
    pub snapshot_advised: fn(&[&str]) -> bool,

    /// An entry of a runtime's `protocol_versions`.
    pub runtime_version: fn(&str) -> Fit,
    /// Entries that its `protocol_versions` has at least.
    pub runtime_versions_min: usize,
    /// Entries that its `agent_capabilities` has at least.
    pub runtime_capabilities_min: usize,
    /// Entries that its `isolation_profiles` has at least.
    pub runtime_profiles_min: usize,
    /// Entries that its `state_publication_targets` has at least.
    pub runtime_targets_min: usize,

    /// A manifest's version cut down to major and minor.
    pub reduce: for<'a> fn(&'a str) -> Option<Reduced<'a>>,
    /// Whether an entry of the runtime supports a manifest's version.
    pub supports: fn(&Version<'_>, &Version<'_>) -> bool,
    /// Whether the manifest's capabilities are among the runtime's.
    pub capabilities_supported: fn(wanted: &[&str], offered: &[&str]) -> bool,
    /// Whether the manifest's isolation profile is among the runtime's.
    pub profile_supported: fn(wanted: &str, offered: &[&str]) -> bool,
    /// Whether the manifest's target is among the runtime's.
    pub target_supported: fn(wanted: &str, offered: &[&str]) -> bool,
    /// Whether a runtime document is checked before it is matched.
    pub check_runtime: bool,
}

/// The predicates as the spec has them.
pub const REFERENCE: Predicates = Predicates {
    effect: |mode, class| match (mode, class) {
        (_, Class::Basic) | (Mode::Strict, Class::Value) => Effect::Reject,
        (_, Class::Recommended) | (Mode::Lenient, Class::Value) => Effect::Warn,
    },

    refuses: |_| true,

    is_string: |kind| matches!(kind, Kind::String(_)),
    is_boolean: |kind| matches!(kind, Kind::Bool(_)),
    is_integer,
    is_sequence: |kind| matches!(kind, Kind::Sequence(_)),
    is_mapping: |kind| matches!(kind, Kind::Mapping(_)),

    manifest_fields: &[
        ("protocol_version", V0_1),
        ("project_id", V0_1),
        ("agent_capabilities", V0_1),
        ("isolation_profile", V0_1),
        ("state_publication", V0_1),
        ("logging_requirements", V0_1),
        ("snapshot", V0_3),
        ("secrets", V0_4),
    ],
    manifest_required: &[
        "protocol_version",
        "project_id",
        "agent_capabilities",
        "isolation_profile",
        "state_publication",
        "logging_requirements",
    ],
    state_fields: &["target", "path", "url"],
    state_required: &["target"],
    logging_fields: &["structured", "level"],
    logging_required: &["structured"],
    snapshot_fields: &["paths", "retention_days"],
    snapshot_required: &["paths"],
    runtime_fields: RUNTIME_FIELDS,
    runtime_required: RUNTIME_FIELDS,
    is_extension: |key| key.starts_with("x-"),
    is_nested_extension: |_| false,

    version_pattern: version::manifest_version,
    version_semantic: version::semantic_version,
    project_id_character: |c| matches!(c, 'a'..='z' | '0'..='9' | '-'),
    project_id_first: |first| first.is_some_and(char::is_alphanumeric),
    project_id_max: 63,
    capabilities: &[
        ("run_tasks", V0_1),
        ("publish_state", V0_1),
        ("open_pull_requests", V0_1),
        ("snapshot_restore", V0_1),
        ("handoff", V0_1),
        ("read_secrets", V0_4),
    ],
    capabilities_min: 1,
    capabilities_distinct: distinct,
    isolation_profiles: &["dedicated-vm", "container", "sandbox-process"],
    targets: &["control-process", "file", "webhook"],
    path_targets: &["file"],
    url_targets: &["webhook"],
    state_path: pathname::state_path,
    https_url: url::https_url,
    levels: &["debug", "info", "warn", "error"],
    paths_min: 1,
    paths_distinct: distinct,
    path_not_absolute: pathname::snapshot_not_absolute,
    path_no_parent: pathname::snapshot_no_parent,
    retention_days: at_least_one,
    secrets_min: 1,
    secrets_distinct: distinct,
    secret_name,
    secrets_declared: |capabilities| capabilities.contains(&"read_secrets"),
    snapshot_advised: |capabilities| capabilities.contains(&"snapshot_restore"),

    runtime_version: |text| match version::runtime_version(text) {
        Some((_, true)) => Fit::Holds,
        Some((_, false)) => Fit::Open { question: Question::L14, holds: true },
        None => Fit::Breaks,
    },
    runtime_versions_min: 1,
    runtime_capabilities_min: 0,
    runtime_profiles_min: 1,
    runtime_targets_min: 1,

    reduce: version::reduce,
    supports: version::supports,
    capabilities_supported: |wanted, offered| wanted.iter().all(|one| offered.contains(one)),
    profile_supported: |wanted, offered| offered.contains(&wanted),
    target_supported: |wanted, offered| offered.contains(&wanted),
    check_runtime: true,
};

const RUNTIME_FIELDS: &[&str] = &[
    "runtime",
    "protocol_versions",
    "agent_capabilities",
    "isolation_profiles",
    "state_publication_targets",
];

fn distinct(entries: &[&str]) -> bool {
    let mut seen = HashSet::new();
    entries.iter().all(|entry| seen.insert(entry))
}

fn is_integer(kind: &Kind, narrow: bool) -> bool {
    match kind {
        Kind::Int(Integer::Small(_)) => true,
        Kind::Int(_) => !narrow,
        // A float that overflows is whole, too; an infinity is written otherwise.
        Kind::Float(value) => !narrow && value.is_finite() && value.fract() == 0.0,
        _ => false,
    }
}

fn at_least_one(kind: &Kind) -> bool {
    match kind {
        Kind::Int(Integer::Small(days)) => *days >= 1,
        Kind::Int(Integer::AboveRange) => true,
        Kind::Float(days) => *days >= 1.0,
        _ => false,
    }
}

fn secret_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_uppercase())
        && name.len() <= 128
        && bytes.all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}
