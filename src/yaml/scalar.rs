//! What plain scalars mean: by the core schema of YAML 1.2, and by YAML 1.1.

use std::sync::Arc;

use super::{Integer, Kind, Schema};

/// The value of a plain scalar by a schema.
pub(super) fn resolve(text: &Arc<str>, schema: Schema) -> Kind {
    let kind = match schema {
        Schema::Core => core(text),
        Schema::Yaml11 => yaml11(text),
    };
    kind.unwrap_or_else(|| Kind::String(Arc::clone(text)))
}

fn core(text: &str) -> Option<Kind> {
    if let Some(kind) = null_or_bool(text) {
        return Some(kind);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8, false, false);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16, false, false);
    }
    let (negative, digits) = sign(text);
    if let Some(integer) = based(digits, 10, negative, false) {
        return Some(integer);
    }
    infinity_or_nan(text).or_else(|| decimal(text, false)).map(Kind::Float)
}

fn yaml11(text: &str) -> Option<Kind> {
    if let Some(kind) = null_or_bool(text) {
        return Some(kind);
    }
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Some(Kind::Bool(true)),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Some(Kind::Bool(false)),
        // The default value and the merge key have types of their own.
        "=" | "<<" => return Some(Kind::Other),
        _ => {}
    }
    let (negative, digits) = sign(text);
    if let Some(digits) = digits.strip_prefix("0b") {
        return based(digits, 2, negative, true);
    }
    if let Some(digits) = digits.strip_prefix("0x") {
        return based(digits, 16, negative, true);
    }
    if digits.len() > 1
        && let Some(octal) = digits.strip_prefix('0')
        && let Some(integer) = based(octal, 8, negative, true)
    {
        return Some(integer);
    }
    if digits == "0" || digits.starts_with(|c: char| matches!(c, '1'..='9')) {
        if let Some(integer) = based(digits, 10, negative, true) {
            return Some(integer);
        }
        if let Some(kind) = sexagesimal(digits, negative) {
            return Some(kind);
        }
    }
    if let Some(value) = infinity_or_nan(text).or_else(|| decimal(text, true)) {
        return Some(Kind::Float(value));
    }
    timestamp(text).then_some(Kind::Other)
}

fn null_or_bool(text: &str) -> Option<Kind> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Some(Kind::Null),
        "true" | "True" | "TRUE" => Some(Kind::Bool(true)),
        "false" | "False" | "FALSE" => Some(Kind::Bool(false)),
        _ => None,
    }
}

fn sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Digits of a base to an integer; `underscores` between them are allowed in YAML 1.1.
fn based(digits: &str, base: u32, negative: bool, underscores: bool) -> Option<Kind> {
    let mut any = false;
    let mut value: i128 = 0;
    for c in digits.chars() {
        if c == '_' && underscores {
            continue;
        }
        let digit = c.to_digit(base)?;
        any = true;
        // Saturating is enough: what 64 bits do not hold is told apart only by its sign.
        value = value.saturating_mul(i128::from(base)).saturating_add(i128::from(digit));
    }
    any.then(|| integer(if negative { -value } else { value }))
}

fn integer(value: i128) -> Kind {
    Kind::Int(if value < i128::from(i64::MIN) {
        Integer::BelowRange
    } else if value > i128::from(u64::MAX) {
        Integer::AboveRange
    } else {
        Integer::Small(value)
    })
}

fn infinity_or_nan(text: &str) -> Option<f64> {
    match sign(text) {
        (negative, ".inf" | ".Inf" | ".INF") => {
            Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY })
        }
        _ => matches!(text, ".nan" | ".NaN" | ".NAN").then_some(f64::NAN),
    }
}

/// A number with a point or an exponent. YAML 1.1 wants the point, and a sign
/// in the exponent, and allows underscores.
fn decimal(text: &str, legacy: bool) -> Option<f64> {
    let (_, unsigned) = sign(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || (legacy && b == b'_'));
    let some_digit =
        [whole, fraction.unwrap_or("")].iter().any(|part| part.bytes().any(|b| b.is_ascii_digit()));
    let well_formed = digits(whole)
        && digits(fraction.unwrap_or(""))
        && some_digit
        && (!legacy || (fraction.is_some() && !whole.starts_with('_')))
        && exponent.is_none_or(|exponent| {
            let signed = exponent.starts_with(['-', '+']);
            let (_, digits) = sign(exponent);
            (signed || !legacy) && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        });
    if !well_formed {
        return None;
    }
    let value: f64 = if legacy { text.replace('_', "").parse() } else { text.parse() }.ok()?;
    // Beyond the range it is still a number, and no infinity.
    Some(value.clamp(f64::MIN, f64::MAX))
}

/// `190:20:30` and `190:20:30.15`: base 60, in YAML 1.1 only.
fn sexagesimal(digits: &str, negative: bool) -> Option<Kind> {
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let mut parts = whole.split(':');
    let Some(Kind::Int(Integer::Small(mut value))) = based(parts.next()?, 10, false, true) else {
        return None;
    };
    let mut several = false;
    for part in parts {
        let ok = matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        if !ok {
            return None;
        }
        several = true;
        value = value.saturating_mul(60).saturating_add(part.parse().ok()?);
    }
    if !several {
        return None;
    }
    match fraction {
        None => Some(integer(if negative { -value } else { value })),
        Some(fraction) => {
            let fraction: f64 = format!("0.{}0", fraction.replace('_', "")).parse().ok()?;
            // Only whether it is whole matters, so rounding does not.
            let value = value as f64 + fraction;
            Some(Kind::Float(if negative { -value } else { value }))
        }
    }
}

/// A date, or a date with a time, as the timestamp type of YAML 1.1 has it.
fn timestamp(text: &str) -> bool {
    fn number(text: &str, least: usize, most: usize) -> Option<&str> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        (least..=most).contains(&digits).then(|| &text[digits..])
    }
    fn date(text: &str, exact: bool) -> Option<&str> {
        let least = if exact { 2 } else { 1 };
        let rest = number(text, 4, 4)?.strip_prefix('-')?;
        let rest = number(rest, least, 2)?.strip_prefix('-')?;
        number(rest, least, 2)
    }
    fn time(text: &str) -> Option<&str> {
        let blanks = text.trim_start_matches([' ', '\t']);
        let rest = match text.strip_prefix(['T', 't']) {
            Some(rest) => rest,
            None if blanks.len() < text.len() => blanks,
            None => return None,
        };
        let rest = number(rest, 1, 2)?.strip_prefix(':')?;
        let rest = number(rest, 2, 2)?.strip_prefix(':')?;
        let rest = number(rest, 2, 2)?;
        Some(match rest.strip_prefix('.') {
            Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
            None => rest,
        })
    }
    fn zone(text: &str) -> bool {
        let text = text.trim_start_matches([' ', '\t']);
        if matches!(text, "" | "Z") {
            return true;
        }
        let Some(rest) = text.strip_prefix(['-', '+']).and_then(|rest| number(rest, 1, 2)) else {
            return false;
        };
        rest.is_empty() || rest.strip_prefix(':').and_then(|rest| number(rest, 2, 2)) == Some("")
    }
    date(text, true) == Some("") || date(text, false).and_then(time).is_some_and(zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> (Kind, Kind) {
        let text = Arc::from(text);
        (resolve(&text, Schema::Core), resolve(&text, Schema::Yaml11))
    }

    fn small(value: i128) -> Kind {
        Kind::Int(Integer::Small(value))
    }

    #[test]
    fn what_both_versions_read_alike() {
        for (text, kind) in [
            ("", Kind::Null),
            ("~", Kind::Null),
            ("NULL", Kind::Null),
            ("True", Kind::Bool(true)),
            ("FALSE", Kind::Bool(false)),
            ("0", small(0)),
            ("-12", small(-12)),
            ("+7", small(7)),
            ("0xfF", small(255)),
            ("7.0", Kind::Float(7.0)),
            ("1.", Kind::Float(1.0)),
            (".5", Kind::Float(0.5)),
            ("1.5e+3", Kind::Float(1500.0)),
            ("-.inf", Kind::Float(f64::NEG_INFINITY)),
            ("18446744073709551615", small(i128::from(u64::MAX))),
            ("18446744073709551616", Kind::Int(Integer::AboveRange)),
            ("-9223372036854775809", Kind::Int(Integer::BelowRange)),
        ] {
            assert_eq!(kinds(text), (kind.clone(), kind), "{text:?}");
        }
        for text in [
            "v0.1.0", "0.1.0", "hello", "tRUE", "nULL", "-", "+", ".", "_1", "1-2", "0x", "0b",
            "e3",
        ] {
            let string = Kind::String(text.into());
            assert_eq!(kinds(text), (string.clone(), string), "{text:?}");
        }
    }

    #[test]
    fn what_they_read_differently() {
        let string = |text: &str| Kind::String(text.into());
        for (text, core, legacy) in [
            ("yes", string("yes"), Kind::Bool(true)),
            ("Off", string("Off"), Kind::Bool(false)),
            ("y", string("y"), Kind::Bool(true)),
            ("017", small(17), small(15)),
            ("08", small(8), string("08")),
            ("0o17", small(15), string("0o17")),
            ("0b11", string("0b11"), small(3)),
            ("1_000", string("1_000"), small(1000)),
            ("1:30", string("1:30"), small(90)),
            ("190:20:30", string("190:20:30"), small(685_230)),
            ("1e3", Kind::Float(1000.0), string("1e3")),
            ("1.0e3", Kind::Float(1000.0), string("1.0e3")),
            ("2024-01-01", string("2024-01-01"), Kind::Other),
            ("2024-01-01T10:00:00Z", string("2024-01-01T10:00:00Z"), Kind::Other),
            ("2024-1-1 10:00:00 +1:30", string("2024-1-1 10:00:00 +1:30"), Kind::Other),
            ("-0x1", string("-0x1"), small(-1)),
            ("=", string("="), Kind::Other),
        ] {
            assert_eq!(kinds(text), (core, legacy), "{text:?}");
        }
        assert_eq!(kinds("2024-1-1").1, string("2024-1-1"));
        assert_eq!(kinds("1:60").1, string("1:60"));
    }
}
