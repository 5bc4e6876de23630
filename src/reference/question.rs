//! The open questions of the spec, as far as documents can touch them.

use std::fmt;

use crate::core::LedgerId;

macro_rules! questions {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {
        /// An open question: an entry of the ledger.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Question {
            $($(#[$meta])* $name,)*
        }

        impl Question {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The id in the ledger, as text.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }
    };
}

questions! {
    /// Conditionally required fields in lenient mode.
    L1,
    /// Empty sequences and duplicates in lenient mode.
    L2,
    /// Wrong types in newer fields in lenient mode.
    L3,
    /// Duplicate keys.
    L4,
    /// Scalars that YAML 1.1 reads differently.
    L5,
    /// Merge keys.
    L6,
    /// Several documents in a file.
    L7,
    /// Versions that the pattern allows and SemVer does not.
    L8,
    /// Odd state paths.
    L9,
    /// Odd URLs.
    L10,
    /// Odd snapshot paths.
    L11,
    /// Floats and huge numbers as integers.
    L12,
    /// The name of the runtime.
    L13,
    /// Unknown values, duplicates and leading zeros in a runtime document.
    L14,
    /// Fields newer than the manifest's own version.
    L15,
    /// Letters beyond ASCII in the project id.
    L16,
    /// Keys that are no strings.
    L17,
    /// Encodings.
    L18,
    /// Resource bombs.
    L19,
    /// Values without a meaning here.
    L20,
    /// A path or URL beside another target.
    L21,
    /// Departures of loaders from YAML 1.2.
    L22,
    /// Matching a version that is not of the pattern.
    L23,
}

impl Question {
    /// The id in the ledger.
    #[must_use]
    pub fn id(self) -> LedgerId {
        LedgerId::constant(self.as_str())
    }

    /// The question with this id.
    #[must_use]
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|question| question.as_str() == id)
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
