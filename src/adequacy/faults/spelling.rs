//! Values of an enumeration that are spelt almost as they should be, each enumeration by
//! itself: whoever gets one right may get the next one wrong.

use super::super::fault::Fault;
use super::super::{Answer, Ask};
use crate::reference::REFERENCE;
use crate::yaml::Node;

const CAPABILITY: &str = "manifest.agent_capabilities.values";
const PROFILE: &str = "manifest.isolation_profile.values";
const TARGET: &str = "manifest.state_publication.target.values";
const LEVEL: &str = "manifest.logging_requirements.level.values";
const WANTS_CAPABILITY: &str = "match.agent-capabilities";
const WANTS_PROFILE: &str = "match.isolation-profile";
const WANTS_TARGET: &str = "match.state-publication-target";

/// Whether a text passes for one of these values.
type Passes = fn(&str, &[&str]) -> bool;

/// The values that a rule allows.
fn values(rule: &str) -> Vec<&'static str> {
    match rule {
        CAPABILITY => REFERENCE.capabilities.iter().map(|(name, _)| *name).collect(),
        PROFILE => REFERENCE.isolation_profiles.to_vec(),
        TARGET => REFERENCE.targets.to_vec(),
        _ => REFERENCE.levels.to_vec(),
    }
}

/// The text at a place of the manifest, which may be an entry of a sequence.
fn text_at<'a>(ask: &Ask<'a>, at: &str) -> Option<&'a str> {
    let keys: Vec<&str> = at.split('/').skip(1).collect();
    let (last, above) = keys.split_last()?;
    match last.parse::<usize>() {
        Ok(index) => ask.manifest(above)?.as_sequence()?.get(index)?.as_str(),
        Err(_) => ask.manifest(&keys)?.as_str(),
    }
}

/// Finds nothing wrong with values that pass.
fn letting(ask: &Ask<'_>, rule: &str, passes: Passes) -> Answer {
    let values = values(rule);
    ask.answer().knowing(|finding| {
        let text = || text_at(ask, finding.at.as_deref().unwrap_or_default());
        // What is a value stands there in a version of the protocol that lacks it.
        let lets = |text: &str| passes(text, &values) && !values.contains(&text);
        !(finding.rule == rule && text().is_some_and(lets))
    })
}

/// Finds what the manifest wants among what the runtime has by another comparison.
fn matching(ask: &Ask<'_>, rule: &str, passes: Passes) -> Answer {
    let (wanted, list, at) = match rule {
        WANTS_CAPABILITY => {
            (ask.wanted("agent_capabilities"), "agent_capabilities", "/agent_capabilities")
        }
        WANTS_PROFILE => (
            ask.text(&["isolation_profile"]).into_iter().collect(),
            "isolation_profiles",
            "/isolation_profile",
        ),
        _ => (
            ask.text(&["state_publication", "target"]).into_iter().collect(),
            "state_publication_targets",
            "/state_publication/target",
        ),
    };
    let entries = ask.manifest(&["agent_capabilities"]).and_then(Node::as_sequence);
    let odd = rule == WANTS_CAPABILITY && entries.is_some_and(|all| all.len() != wanted.len());
    if wanted.is_empty() || odd {
        return ask.answer();
    }
    let offered = ask.offered(list);
    ask.matching(rule, at, wanted.iter().all(|text| passes(text, &offered)))
}

fn trimmed(text: &str, values: &[&str]) -> bool {
    values.contains(&text.trim_matches([' ', '\t']))
}

fn line_cut(text: &str, values: &[&str]) -> bool {
    values.contains(&text.strip_suffix('\n').unwrap_or(text))
}

fn any_case(text: &str, values: &[&str]) -> bool {
    values.contains(&text.to_lowercase().as_str())
}

fn any_separator(text: &str, values: &[&str]) -> bool {
    let plain = |text: &str| text.replace(['_', ' '], "-");
    values.iter().any(|value| plain(value) == plain(text))
}

fn begun(text: &str, values: &[&str]) -> bool {
    values.iter().any(|value| value.starts_with(text))
}

fn beginning(text: &str, values: &[&str]) -> bool {
    values.iter().any(|value| text.starts_with(value))
}

fn within(text: &str, values: &[&str]) -> bool {
    values.join(",").contains(text)
}

fn inherited(text: &str, values: &[&str]) -> bool {
    super::habits::INHERITED.contains(&text) || values.contains(&text)
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::program("capability-trimmed", "cuts blanks off a capability", &[CAPABILITY], |ask| {
        letting(ask, CAPABILITY, trimmed)
    }),
    Fault::program("profile-trimmed", "cuts blanks off the isolation profile", &[PROFILE], |ask| {
        letting(ask, PROFILE, trimmed)
    }),
    Fault::program("publication-trimmed", "cuts blanks off the target", &[TARGET], |ask| {
        letting(ask, TARGET, trimmed)
    }),
    Fault::program("level-trimmed", "cuts blanks off the level", &[LEVEL], |ask| {
        letting(ask, LEVEL, trimmed)
    }),
    Fault::program(
        "capability-line-feed",
        "lets a line feed follow a capability, as $ does",
        &[CAPABILITY],
        |ask| letting(ask, CAPABILITY, line_cut),
    ),
    Fault::program(
        "profile-line-feed",
        "lets a line feed follow the isolation profile, as $ does",
        &[PROFILE],
        |ask| letting(ask, PROFILE, line_cut),
    ),
    Fault::program(
        "publication-line-feed",
        "lets a line feed follow the target, as $ does",
        &[TARGET],
        |ask| letting(ask, TARGET, line_cut),
    ),
    Fault::program(
        "level-line-feed",
        "lets a line feed follow the level, as $ does",
        &[LEVEL],
        |ask| letting(ask, LEVEL, line_cut),
    ),
    Fault::program(
        "capability-any-case",
        "compares capabilities without case",
        &[CAPABILITY],
        |ask| letting(ask, CAPABILITY, any_case),
    ),
    Fault::program(
        "profile-any-case",
        "compares the isolation profile without case",
        &[PROFILE],
        |ask| letting(ask, PROFILE, any_case),
    ),
    Fault::program("publication-any-case", "compares the target without case", &[TARGET], |ask| {
        letting(ask, TARGET, any_case)
    }),
    Fault::program(
        "capability-any-separator",
        "takes hyphens and blanks for underscores in a capability",
        &[CAPABILITY],
        |ask| letting(ask, CAPABILITY, any_separator),
    ),
    Fault::program(
        "profile-any-separator",
        "takes underscores and blanks for hyphens in the isolation profile",
        &[PROFILE],
        |ask| letting(ask, PROFILE, any_separator),
    ),
    Fault::program(
        "publication-any-separator",
        "takes underscores and blanks for hyphens in the target",
        &[TARGET],
        |ask| letting(ask, TARGET, any_separator),
    ),
    Fault::program(
        "capability-begun",
        "takes the start of a capability for it",
        &[CAPABILITY],
        |ask| letting(ask, CAPABILITY, begun),
    ),
    Fault::program(
        "profile-begun",
        "takes the start of an isolation profile for it",
        &[PROFILE],
        |ask| letting(ask, PROFILE, begun),
    ),
    Fault::program("publication-begun", "takes the start of a target for it", &[TARGET], |ask| {
        letting(ask, TARGET, begun)
    }),
    Fault::program("level-begun", "takes the start of a level for it", &[LEVEL], |ask| {
        letting(ask, LEVEL, begun)
    }),
    Fault::program(
        "capability-beginning",
        "looks at the start of a capability alone",
        &[CAPABILITY],
        |ask| letting(ask, CAPABILITY, beginning),
    ),
    Fault::program(
        "profile-beginning",
        "looks at the start of the isolation profile alone",
        &[PROFILE],
        |ask| letting(ask, PROFILE, beginning),
    ),
    Fault::program(
        "publication-beginning",
        "looks at the start of the target alone",
        &[TARGET],
        |ask| letting(ask, TARGET, beginning),
    ),
    Fault::program("level-beginning", "looks at the start of the level alone", &[LEVEL], |ask| {
        letting(ask, LEVEL, beginning)
    }),
    Fault::program(
        "capability-within",
        "looks for a capability in a text with all of them",
        &[CAPABILITY],
        |ask| letting(ask, CAPABILITY, within),
    ),
    Fault::program(
        "profile-within",
        "looks for the isolation profile in a text with all of them",
        &[PROFILE],
        |ask| letting(ask, PROFILE, within),
    ),
    Fault::program(
        "publication-within",
        "looks for the target in a text with all of them",
        &[TARGET],
        |ask| letting(ask, TARGET, within),
    ),
    Fault::program(
        "level-within",
        "looks for the level in a text with all of them",
        &[LEVEL],
        |ask| letting(ask, LEVEL, within),
    ),
    Fault::program(
        "capability-inherited",
        "looks capabilities up in an object that has constructor and the like",
        &[CAPABILITY],
        |ask| letting(ask, CAPABILITY, inherited),
    ),
    Fault::program(
        "profile-inherited",
        "looks the isolation profile up in an object that has constructor and the like",
        &[PROFILE],
        |ask| letting(ask, PROFILE, inherited),
    ),
    Fault::program(
        "publication-inherited",
        "looks the target up in an object that has constructor and the like",
        &[TARGET],
        |ask| letting(ask, TARGET, inherited),
    ),
    Fault::program(
        "level-inherited",
        "looks the level up in an object that has constructor and the like",
        &[LEVEL],
        |ask| letting(ask, LEVEL, inherited),
    ),
    // Matching
    Fault::program(
        "match-capability-any-case",
        "matches capabilities without case",
        &[WANTS_CAPABILITY],
        |ask| matching(ask, WANTS_CAPABILITY, any_case),
    ),
    Fault::program(
        "match-target-any-case",
        "matches targets without case",
        &[WANTS_TARGET],
        |ask| matching(ask, WANTS_TARGET, any_case),
    ),
    Fault::program(
        "match-capability-trimmed",
        "cuts blanks off the capabilities that it matches",
        &[WANTS_CAPABILITY],
        |ask| matching(ask, WANTS_CAPABILITY, trimmed),
    ),
    Fault::program(
        "match-profile-trimmed",
        "cuts blanks off the isolation profile that it matches",
        &[WANTS_PROFILE],
        |ask| matching(ask, WANTS_PROFILE, trimmed),
    ),
    Fault::program(
        "match-profile-line-feed",
        "cuts the line end off the isolation profile that it matches",
        &[WANTS_PROFILE],
        |ask| matching(ask, WANTS_PROFILE, line_cut),
    ),
    Fault::program(
        "match-profile-any-separator",
        "takes underscores for hyphens where it matches isolation profiles",
        &[WANTS_PROFILE],
        |ask| matching(ask, WANTS_PROFILE, any_separator),
    ),
    Fault::program(
        "match-target-any-separator",
        "takes underscores for hyphens where it matches targets",
        &[WANTS_TARGET],
        |ask| matching(ask, WANTS_TARGET, any_separator),
    ),
    Fault::program(
        "match-target-beginning",
        "looks at the start of the target alone",
        &[WANTS_TARGET],
        |ask| matching(ask, WANTS_TARGET, beginning),
    ),
    Fault::program(
        "match-capability-inherited",
        "looks capabilities up in an object that has constructor and the like",
        &[WANTS_CAPABILITY],
        |ask| matching(ask, WANTS_CAPABILITY, inherited),
    ),
    Fault::program(
        "match-profile-inherited",
        "looks the isolation profile up in an object that has constructor and the like",
        &[WANTS_PROFILE],
        |ask| matching(ask, WANTS_PROFILE, inherited),
    ),
    Fault::program(
        "match-target-inherited",
        "looks the target up in an object that has constructor and the like",
        &[WANTS_TARGET],
        |ask| matching(ask, WANTS_TARGET, inherited),
    ),
];
