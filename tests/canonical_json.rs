//! Canonical JSON against the vectors that RFC 8785 publishes.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use living_conformance::certify::{Identity, canonical};
use serde_json::Value;

fn canonical_text(value: &impl serde::Serialize) -> String {
    String::from_utf8(canonical(value).unwrap()).unwrap()
}

fn canonical_of(json: &str) -> String {
    canonical_text(&serde_json::from_str::<Value>(json).unwrap())
}

/// Appendix B: the bits of doubles, and their text.
const NUMBERS: [(u64, &str); 24] = [
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xc340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23"),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x41b3_de43_5555_5553, "333333333.3333332"),
    (0x41b3_de43_5555_5554, "333333333.33333325"),
    (0x41b3_de43_5555_5555, "333333333.3333333"),
    (0x41b3_de43_5555_5556, "333333333.3333334"),
    (0x41b3_de43_5555_5557, "333333333.33333343"),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
];

#[test]
fn numbers_are_written_as_the_appendix_has_them() {
    for (bits, text) in NUMBERS {
        assert_eq!(canonical_text(&f64::from_bits(bits)), text, "{bits:016x}");
    }
    for none in [0x7fff_ffff_ffff_ffff, 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000] {
        assert!(canonical(&f64::from_bits(none)).is_err(), "{none:016x}");
    }
}

#[test]
fn numbers_that_were_written_are_read_as_the_same_doubles() {
    for (bits, text) in NUMBERS {
        let read: f64 = serde_json::from_str::<Value>(text).unwrap().as_f64().unwrap();
        // Minus zero is written without its sign.
        assert!(read.to_bits() == bits || read == 0.0, "{text}");
    }
}

#[test]
fn keys_are_ordered_by_their_utf_16_code_units() {
    let text = canonical_of(
        r#"{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
            "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
            "\u00f6": "Latin Small Letter O With Diaeresis"}"#,
    );
    let order = [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ];
    let places: Vec<usize> = order.iter().map(|name| text.find(name).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    assert!(text.starts_with("{\"\\r\":"), "{text}");
}

#[test]
fn the_sample_of_section_3_2_has_its_published_bytes() {
    let text = canonical_of(
        r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]}"#,
    );
    let bytes = "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a\
                 5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d3237\
                 5d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d";
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, bytes);
    assert_eq!(
        Identity::of_bytes(text.as_bytes()).as_str(),
        "sha256:2d5e01a318d0f0879ab568c4be289c8b1f64ef8921a53c6277d5e069978baacb"
    );
}

#[test]
fn only_what_must_be_escaped_is_escaped() {
    let all: String = (0..0x20).map(|code| char::from_u32(code).unwrap()).collect();
    let escaped = "\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u000f\
                   \\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019\\u001a\\u001b\\u001c\\u001d\\u001e\\u001f";
    assert_eq!(canonical_text(&all), format!("\"{escaped}\""));
    assert_eq!(canonical_text(&"\u{7f}\u{2028}/<>é\u{1f600}"), "\"\u{7f}\u{2028}/<>é\u{1f600}\"");
    assert_eq!(canonical_text(&"\"\\"), r#""\"\\""#);
    // Nothing is composed: both spellings of one letter stay what they are.
    assert_ne!(canonical_text(&"\u{e9}"), canonical_text(&"e\u{301}"));
}
