//! Values of options, from what is written on the command line.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::time::Duration;

use super::exit::Fatal;

/// A variable for the implementation: `NAME=VALUE` sets it, `NAME` passes it on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    name: String,
    value: Option<String>,
}

impl Variable {
    /// Reads `NAME` or `NAME=VALUE`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        if name.is_empty() || text.contains('\0') {
            return Err("write NAME to pass a variable on, or NAME=VALUE to set it".to_owned());
        }
        if name == "TMPDIR" || name.starts_with("LIVING_CONFORMANCE") {
            return Err(format!("{name} is set by this program for each case"));
        }
        Ok(Self { name: name.to_owned(), value })
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What it is set to; `None` when it is passed on.
    pub(super) fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }

    fn resolve(&self) -> Result<(OsString, OsString), Fatal> {
        let value = match &self.value {
            Some(value) => Some(value.into()),
            None => std::env::var_os(&self.name),
        };
        let value = value.ok_or_else(|| {
            Fatal::error(format!("the variable {} is to be passed on, and is not set", self.name))
                .with_remedy(format!("set it, or write --env {}=VALUE", self.name))
        })?;
        Ok((OsString::from(&self.name), value))
    }

    /// As it was written.
    pub(super) fn written(&self) -> OsString {
        match &self.value {
            Some(value) => format!("{}={value}", self.name).into(),
            None => OsString::from(&self.name),
        }
    }
}

/// The variables as the implementation gets them.
///
/// # Errors
/// When one is to be passed on, and is not set here.
pub(super) fn resolved(variables: &[Variable]) -> Result<Vec<(OsString, OsString)>, Fatal> {
    variables.iter().map(Variable::resolve).collect()
}

/// `NAME=VALUE`, as one word.
pub(super) fn assignment((name, value): &(OsString, OsString)) -> OsString {
    let mut word = name.clone();
    word.push(OsStr::new("="));
    word.push(value);
    word
}

/// A whole number above 0.
pub(super) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "write a whole number, 1 or more".to_owned())
}

/// A time: seconds, or with a unit.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 0.001),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let seconds = number.parse::<f64>().ok().map(|number| number * unit);
    seconds
        .filter(|seconds| (0.001..=86_400.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "write a time from 1ms to 86400s, such as 10, 10s or 500ms".to_owned())
}

/// A size in bytes, with a unit.
pub(super) fn size(text: &str) -> Result<u64, String> {
    const MEGA: u64 = 1 << 20;
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'M')) => (&text[..at], MEGA),
        Some((at, 'G')) => (&text[..at], MEGA << 10),
        _ => ("", 0),
    };
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let size = number.parse::<u64>().ok().filter(|_| digits);
    size.and_then(|size| size.checked_mul(unit))
        .filter(|size| (MEGA..=1 << 50).contains(size))
        .ok_or_else(|| "write a size of 1M or more, such as 512M or 2G".to_owned())
}

/// A size as [`size`] reads it.
pub(super) fn written_size(bytes: u64) -> String {
    format!("{}M", bytes >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_or_are_seconds() {
        assert_eq!(duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("0.5s"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        for bad in ["", "0", "-1", "s", "1m", "NaN", "inf", "1e9"] {
            assert!(duration(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(written_size(2 << 30), "2048M");
        for bad in ["", "M", "0M", "1", "512", "+1M", "1.5G", "1K", "-1M", "99999999999999999999G"]
        {
            assert!(size(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_variable_is_set_or_passed_on() {
        let parse = |text| Variable::parse(text);
        let set = parse("A=b=c").unwrap();
        assert_eq!(set.resolve().unwrap(), ("A".into(), "b=c".into()));
        assert_eq!(set.written(), "A=b=c");
        assert_eq!(parse("A=").unwrap().resolve().unwrap().1, "");
        assert!(parse("PATH").unwrap().resolve().is_ok_and(|(_, value)| !value.is_empty()));
        assert!(parse("NO_SUCH_VARIABLE_HERE").unwrap().resolve().is_err());
        for bad in ["", "=x", "TMPDIR=/", "LIVING_CONFORMANCE_RUN=x", "A=\0"] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        let words: Vec<_> = resolved(&[set]).unwrap().iter().map(assignment).collect();
        assert_eq!(words, ["A=b=c"]);
    }
}
