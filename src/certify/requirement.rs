//! What an implementation is certified for.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Identity, IdentityError, SuiteRef};
use crate::core::{Level, Protocol};

/// What is asked of an implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The name of the spec.
    pub spec: String,
    /// The version of the spec.
    pub protocol: Protocol,
    /// The classes that were named; none for all of the default suites.
    pub named: BTreeSet<String>,
    /// The classes.
    pub classes: BTreeSet<String>,
    /// The level that is enforced.
    pub enforce: Level,
}

/// A [`Requirement`] as far as the id of a suite in a receipt tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteId {
    /// The name of the spec.
    pub spec: String,
    /// The version of the spec.
    pub protocol: Protocol,
    /// The classes that were named.
    pub named: BTreeSet<String>,
}

impl Requirement {
    /// The id that the suite has in receipts: `SPEC/VERSION`, and the classes when
    /// not all of the default suites were asked for.
    #[must_use]
    pub fn suite_id(&self) -> String {
        let mut id = format!("{}/{}", self.spec, self.protocol);
        if !self.named.is_empty() {
            id.push('/');
            id.push_str(&self.named.iter().map(String::as_str).collect::<Vec<_>>().join("+"));
        }
        id
    }

    /// The identity of the requirement: what the project is held to unless it says
    /// otherwise.
    ///
    /// # Errors
    /// When it has no canonical JSON.
    pub fn identity(&self, suite: &SuiteRef) -> Result<Identity, IdentityError> {
        Identity::of_value(&json!({
            "schema": "urn:living-conformance:schema:requirement:1",
            "spec": self.spec,
            "protocol": self.protocol,
            "classes": self.classes,
            "enforce": self.enforce,
            "suite": suite,
        }))
    }
}

impl SuiteId {
    /// Reads an id that [`Requirement::suite_id`] made.
    #[must_use]
    pub fn parse(id: &str) -> Option<Self> {
        let mut parts = id.split('/');
        let spec = parts.next().filter(|spec| !spec.is_empty())?.to_owned();
        let protocol = parts.next()?.parse().ok()?;
        let named = match (parts.next(), parts.next()) {
            (None, _) => BTreeSet::new(),
            (Some(classes), None) => classes.split('+').map(str::to_owned).collect(),
            (Some(_), Some(_)) => return None,
        };
        Some(Self { spec, protocol, named })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirement(named: &[&str]) -> Requirement {
        let named: BTreeSet<String> = named.iter().map(|&name| name.to_owned()).collect();
        Requirement {
            spec: "living-repositories".to_owned(),
            protocol: Protocol::new(0, 4),
            classes: ["matcher".to_owned()].into(),
            named,
            enforce: Level::Must,
        }
    }

    #[test]
    fn the_id_of_a_suite_tells_what_was_asked() {
        for (named, id) in [
            (&[][..], "living-repositories/v0.4"),
            (&["b", "a"][..], "living-repositories/v0.4/a+b"),
        ] {
            let requirement = requirement(named);
            assert_eq!(requirement.suite_id(), id);
            let parsed = SuiteId::parse(id).unwrap();
            assert_eq!((&parsed.spec, parsed.protocol), (&requirement.spec, requirement.protocol));
            assert_eq!(parsed.named, requirement.named);
        }
        for other in ["", "living-repositories", "x/0.4", "x/v0.4/a/b", "/v0.4"] {
            assert_eq!(SuiteId::parse(other), None, "{other}");
        }
    }
}
