//! A list of expected failures as its file has it.

use serde::{Deserialize, Serialize};

use crate::core::{Date, RuleId};

#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListFile {
    pub(super) failures: Vec<EntryFile>,
}

/// One of `case`, `fixtures` and `rule` names what fails.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) case: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fixtures: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rule: Option<RuleId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) operations: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wide: Option<bool>,
    pub(super) reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tracker: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires: Option<Date>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}
