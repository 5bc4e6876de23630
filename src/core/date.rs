//! Days of the calendar, for entries that expire.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A day, written as `2027-03-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// Why a text is no day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no date; write it as 2027-03-31")]
pub struct DateError(String);

impl Date {
    /// The first day of 1970.
    pub const UNIX_EPOCH: Self = Self { year: 1970, month: 1, day: 1 };

    /// The day of a moment given in seconds since 1970, in UTC. Moments after the year
    /// 9999 count as its last day.
    #[must_use]
    pub fn of_unix(seconds: u64) -> Self {
        const LAST: Date = Date { year: 9999, month: 12, day: 31 };
        let mut days = seconds / 86_400;
        let mut date = Self::UNIX_EPOCH;
        while days >= u64::from(days_of_year(date.year)) {
            days -= u64::from(days_of_year(date.year));
            if date.year == LAST.year {
                return LAST;
            }
            date.year += 1;
        }
        while days >= u64::from(days_of_month(date.year, date.month)) {
            days -= u64::from(days_of_month(date.year, date.month));
            date.month += 1;
        }
        // What is left is less than a month.
        date.day += u8::try_from(days).unwrap_or(0);
        date
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_year(year: u16) -> u16 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_of_month(year: u16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl FromStr for Date {
    type Err = DateError;
    fn from_str(text: &str) -> Result<Self, DateError> {
        let part = |range: std::ops::Range<usize>| {
            let digits = text.get(range)?;
            digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u16>().ok())?
        };
        let parse = || {
            let shape = text.len() == 10 && text.get(4..5)? == "-" && text.get(7..8)? == "-";
            let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
            let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
            let exists =
                (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
            (shape && exists).then_some(Self { year, month, day })
        };
        parse().ok_or_else(|| DateError(text.to_owned()))
    }
}

impl TryFrom<String> for Date {
    type Error = DateError;
    fn try_from(text: String) -> Result<Self, DateError> {
        text.parse()
    }
}

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_735_689_599, "2024-12-31"),
            (4_107_542_400, "2100-03-01"),
            (u64::MAX, "9999-12-31"),
        ] {
            assert_eq!(Date::of_unix(seconds).to_string(), day);
        }
    }

    #[test]
    fn days_that_are_none_are_refused() {
        for good in ["2027-03-31", "2024-02-29", "0001-01-01"] {
            assert_eq!(good.parse::<Date>().unwrap().to_string(), good);
        }
        for bad in
            ["", "2027-3-31", "2027-02-29", "2027-13-01", "2027-00-10", "27-03-31", "2027/03/31"]
        {
            assert!(bad.parse::<Date>().is_err(), "{bad}");
        }
        assert!("+027-03-31".parse::<Date>().is_err());
        assert!("2027-03-31" < "2027-04-01");
        let day = |text: &str| text.parse::<Date>().unwrap();
        assert!(day("2026-12-31") < day("2027-01-01"));
    }
}
