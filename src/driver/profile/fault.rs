//! What can be wrong with a profile.

use crate::data::{Fault, nearest};

/// What can be wrong with a profile, beyond its form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileFault {
    /// No profile of that name is shipped.
    #[error("find a profile {name:?}")]
    Unknown {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A name in braces that stands for nothing.
    #[error("fill in {{{name}}}: nothing of that name is known here")]
    UnknownName {
        /// The name.
        name: String,
        /// Those that are known.
        known: Vec<String>,
    },
    /// An operation that no suite has, and that is written much like one.
    #[error("ask for the operation {name:?}: no suite has it")]
    UnknownOperation {
        /// The name.
        name: String,
        /// The one that may be meant.
        near: String,
    },
    /// A rule that no suite has.
    #[error("take {name:?} for a rule: no suite has it")]
    UnknownRule {
        /// The id, or the form of one.
        name: String,
        /// The one that may be meant.
        near: Option<String>,
    },
    /// A word that no line tells.
    #[error("say what {name:?} means: no line tells it")]
    UnknownWord {
        /// The word.
        name: String,
        /// Those that lines tell.
        known: Vec<String>,
    },
    /// A text that may not be blank is.
    #[error("do with a blank {0}")]
    Blank(&'static str),
    /// An operation is to be asked for in no way, or in more than one.
    #[error("tell how to ask for {0:?}: exactly one of argv, shell and unsupported says")]
    NotOneWay(String),
    /// A list that may not be empty is.
    #[error("do with an empty list of {0}")]
    Empty(&'static str),
    /// Not an exit code.
    #[error("take {0} for an exit code")]
    BadCode(i32),
    /// An exit code with two meanings.
    #[error("give the exit code {0} two meanings")]
    TwoMeanings(i32),
    /// A regular expression that cannot be used.
    #[error("read {pattern:?} as a regular expression: {cause}")]
    BadPattern {
        /// The expression.
        pattern: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A group that means nothing.
    #[error("make use of the group {0:?}")]
    UnknownGroup(String),
    /// A line that names no rule.
    #[error("tell the rule of such a line: no group and no key names it")]
    NoRule,
    /// A place that is none.
    #[error("read {0:?} as a place")]
    BadPlace(String),
    /// What is repeated in a value that no group holds.
    #[error("look for what is repeated: no group of the line is called value")]
    NoValue,
    /// A name of a variable that cannot be one.
    #[error("set the variable {0:?}")]
    BadVariable(String),
    /// No cases on their way.
    #[error("keep no case in flight")]
    NoneInFlight,
}

impl Fault for ProfileFault {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown-profile",
            Self::UnknownName { .. } => "unknown-placeholder",
            Self::UnknownOperation { .. } => "unknown-operation",
            Self::UnknownRule { .. } => "unknown-rule",
            Self::UnknownWord { .. } => "unknown-word",
            Self::Blank(_) | Self::Empty(_) => "empty",
            Self::NotOneWay(_) => "not-one-way",
            Self::BadCode(_) => "bad-exit-code",
            Self::TwoMeanings(_) => "exit-code-twice",
            Self::BadPattern { .. } => "bad-pattern",
            Self::UnknownGroup(_) => "unknown-group",
            Self::NoRule => "no-rule",
            Self::BadPlace(_) => "bad-place",
            Self::NoValue => "no-value",
            Self::BadVariable(_) => "bad-variable",
            Self::NoneInFlight => "bad-value",
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::Unknown { name, known } => {
                let near = nearest(name, known.iter().map(String::as_str));
                let near = near.map(|it| format!("did you mean {it}? "));
                format!(
                    "{}shipped are {}; a file is given by a path that ends in .yaml",
                    near.unwrap_or_default(),
                    known.join(", ")
                )
            }
            Self::UnknownName { name, known } => {
                let near = nearest(name, known.iter().map(String::as_str));
                let near = near.map(|it| format!("did you mean {{{it}}}? "));
                let known: Vec<_> = known.iter().map(|it| format!("{{{it}}}")).collect();
                format!("{}known are {}", near.unwrap_or_default(), known.join(", "))
            }
            Self::UnknownOperation { near, .. } => format!("did you mean {near}?"),
            Self::UnknownRule { near: Some(near), .. } => format!("did you mean {near}?"),
            Self::UnknownRule { near: None, .. } => {
                "use an id from the pages of rules, or list it as a word under findings.rules"
                    .to_owned()
            }
            Self::UnknownWord { name, known } => {
                let near = nearest(name, known.iter().map(String::as_str));
                let near = near.map(|it| format!("did you mean {it}? "));
                format!("{}lines tell {}", near.unwrap_or_default(), known.join(", "))
            }
            Self::Blank(_) => "write it".to_owned(),
            Self::NotOneWay(_) => "keep one of the three".to_owned(),
            Self::Empty(_) => "add one, or leave out the key".to_owned(),
            Self::BadCode(_) => "exit codes are 0 to 255".to_owned(),
            Self::TwoMeanings(_) => "keep it in one of the lists".to_owned(),
            Self::BadPattern { .. } => {
                "correct it; the syntax is that of the regex crate, without look-around".to_owned()
            }
            Self::UnknownGroup(_) => {
                "use the groups rule, field, at, value, severity and message".to_owned()
            }
            Self::NoRule => "add a group called rule, or the key rule".to_owned(),
            Self::BadPlace(_) => "write a JSON pointer, such as /state_publication/url".to_owned(),
            Self::NoValue => "add a group called value around it".to_owned(),
            Self::BadVariable(_) => {
                "a name has at least one character, and neither = nor a NUL".to_owned()
            }
            Self::NoneInFlight => "write 1 or more".to_owned(),
        }
    }
}
