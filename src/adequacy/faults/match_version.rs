//! The first rule of matching: one entry of the runtime meets both numbers.

use super::super::fault::Fault;
use super::super::{Answer, Ask};
use crate::reference::{REFERENCE, Version};

const VERSION: &str = "match.protocol-version";

type Numbers = (u128, u128);

/// Major and minor number of a version; what is too long for a number counts as
/// the largest.
fn numbers(text: &str) -> Option<Numbers> {
    let mut parts = text.strip_prefix('v')?.split(['.', '-']);
    let mut number = || -> Option<u128> {
        let digits = parts.next().filter(|part| part.bytes().all(|b| b.is_ascii_digit()))?;
        (!digits.is_empty()).then(|| digits.parse().unwrap_or(u128::MAX))
    };
    Some((number()?, number()?))
}

fn wanted<'a>(ask: &Ask<'a>) -> Option<&'a str> {
    ask.text(&["protocol_version"])
}

/// Decides the first rule by the manifest's version and all those of the runtime.
fn versions(ask: &Ask<'_>, holds: impl Fn(Numbers, &[Numbers]) -> bool) -> Answer {
    let offered: Vec<Numbers> =
        ask.offered("protocol_versions").into_iter().filter_map(numbers).collect();
    match wanted(ask).and_then(numbers) {
        Some(wanted) => ask.matching(VERSION, "/protocol_version", holds(wanted, &offered)),
        None => ask.answer(),
    }
}

/// Whether an entry of the runtime is enough for a version.
fn meets(entry: &Numbers, wanted: Numbers) -> bool {
    entry.0 == wanted.0 && entry.1 >= wanted.1
}

fn same_major(entry: &Version<'_>, wanted: &Version<'_>) -> bool {
    entry.major == wanted.major
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::program("version-by-text", "compares versions as texts", &[VERSION], |ask| {
        let Some(text) = wanted(ask) else { return ask.answer() };
        let cut: Vec<&str> = text.split(['.', '-']).take(2).collect();
        let cut = cut.join(".");
        let major = cut.split('.').next();
        let holds = ask.offered("protocol_versions").into_iter();
        let holds = holds
            .filter(|entry| entry.split('.').next() == major)
            .any(|entry| entry >= cut.as_str());
        if numbers(text).is_some() {
            ask.matching(VERSION, "/protocol_version", holds)
        } else {
            ask.answer()
        }
    }),
    Fault::program("version-as-fraction", "compares versions as fractions", &[VERSION], |ask| {
        let fraction = |text: &str| -> Option<f64> { text.strip_prefix('v')?.parse().ok() };
        let Some(wanted) = wanted(ask).and_then(numbers) else { return ask.answer() };
        let own = format!("{}.{}", wanted.0, wanted.1).parse().unwrap_or(f64::MAX);
        let offered = ask.offered("protocol_versions").into_iter().filter_map(fraction);
        let holds =
            offered.filter(|entry| entry.trunc() == f64::trunc(own)).any(|entry| entry >= own);
        ask.matching(VERSION, "/protocol_version", holds)
    }),
    Fault::program(
        "version-first-entry",
        "looks at the first protocol version of the runtime alone",
        &[VERSION],
        |ask| versions(ask, |wanted, offered| offered.first().is_some_and(|e| meets(e, wanted))),
    ),
    Fault::program(
        "version-last-entry",
        "looks at the last protocol version of the runtime alone",
        &[VERSION],
        |ask| versions(ask, |wanted, offered| offered.last().is_some_and(|e| meets(e, wanted))),
    ),
    Fault::program(
        "version-highest-entry",
        "looks at the highest protocol version of the runtime alone",
        &[VERSION],
        |ask| {
            versions(ask, |wanted, offered| offered.iter().max().is_some_and(|e| meets(e, wanted)))
        },
    ),
    Fault::program(
        "version-lowest-entry",
        "looks at the lowest protocol version of the runtime alone",
        &[VERSION],
        |ask| {
            versions(ask, |wanted, offered| offered.iter().min().is_some_and(|e| meets(e, wanted)))
        },
    ),
    Fault::program(
        "version-every-entry",
        "wants every protocol version of the runtime to do",
        &[VERSION],
        |ask| versions(ask, |wanted, offered| offered.iter().all(|e| meets(e, wanted))),
    ),
    Fault::program(
        "version-from-two-entries",
        "takes major and minor number from different entries",
        &[VERSION],
        |ask| {
            versions(ask, |wanted, offered| {
                offered.iter().any(|e| e.0 == wanted.0) && offered.iter().any(|e| e.1 >= wanted.1)
            })
        },
    ),
    Fault::program(
        "version-between",
        "takes a version between the lowest and the highest entry",
        &[VERSION],
        |ask| {
            versions(ask, |wanted, offered| {
                offered.iter().max().is_some_and(|highest| wanted <= *highest)
            })
        },
    ),
    Fault::program(
        "version-higher-major",
        "takes a higher major number as well",
        &[VERSION],
        |ask| {
            versions(ask, |wanted, offered| {
                offered.iter().any(|e| e.0 >= wanted.0 && e.1 >= wanted.1)
            })
        },
    ),
    Fault::test("version-exact", "wants the very minor number", &[VERSION], |p| {
        p.supports = |entry, wanted| entry == wanted
    }),
    Fault::test("version-major-alone", "compares the major number alone", &[VERSION], |p| {
        p.supports = same_major
    }),
    Fault::test("version-minor-alone", "compares the minor number alone", &[VERSION], |p| {
        p.supports = |entry, wanted| entry.minor >= wanted.minor
    }),
    Fault::test("version-turned-round", "wants a runtime that is not newer", &[VERSION], |p| {
        p.supports = |entry, wanted| same_major(entry, wanted) && entry.minor <= wanted.minor;
    }),
    Fault::test("version-newer-only", "wants a runtime that is newer", &[VERSION], |p| {
        p.supports = |entry, wanted| same_major(entry, wanted) && entry.minor > wanted.minor;
    }),
    Fault::test(
        "version-of-32-bits",
        "has 32 bits for the numbers of a version",
        &[VERSION],
        |p| {
            p.supports = |entry, wanted| {
                same_major(entry, wanted) && entry.minor.saturated() >= wanted.minor.saturated()
            };
        },
    ),
    Fault::test("version-not-compared", "does not compare versions", &[VERSION], |p| {
        p.supports = |_, _| true
    }),
    Fault::program(
        "version-prefix",
        "looks for the runtime's version at the start of the manifest's",
        &[VERSION],
        |ask| {
            let Some(text) = wanted(ask).filter(|text| numbers(text).is_some()) else {
                return ask.answer();
            };
            let holds =
                ask.offered("protocol_versions").into_iter().any(|entry| text.starts_with(entry));
            ask.matching(VERSION, "/protocol_version", holds)
        },
    ),
    Fault::test("version-with-pre-release", "refuses a pre-release", &[VERSION], |p| {
        p.reduce = |text| if text.contains('-') { None } else { (REFERENCE.reduce)(text) };
    }),
    Fault::program(
        "version-pre-release-lower",
        "takes a pre-release for the version before",
        &[VERSION],
        |ask| {
            let pre = wanted(ask).is_some_and(|text| text.contains('-'));
            versions(ask, |wanted, offered| {
                let least = if pre { wanted.1.saturating_sub(1) } else { wanted.1 };
                offered.iter().any(|e| meets(e, (wanted.0, least)))
            })
        },
    ),
    Fault::test(
        "version-with-patch",
        "takes a patch for more than the runtime has",
        &[VERSION],
        |p| {
            p.reduce = |text| {
                let core = text.split('-').next().unwrap_or_default();
                let patched =
                    core.split('.').nth(2).is_some_and(|patch| patch.bytes().any(|b| b != b'0'));
                if patched { None } else { (REFERENCE.reduce)(text) }
            };
        },
    ),
    Fault::test(
        "version-invalid-refused",
        "cuts no version down that is not valid",
        &[VERSION],
        |p| {
            p.reduce = |text| {
                if (REFERENCE.version_pattern)(text) { (REFERENCE.reduce)(text) } else { None }
            };
        },
    )
    .equivalent("L23: whether a version that is not of the pattern can be cut down is open"),
    Fault::test(
        "version-caret",
        "wants the very minor number below 1.0, as ^ does",
        &[VERSION],
        |p| {
            p.supports = |entry, wanted| {
                (REFERENCE.supports)(entry, wanted)
                    && (wanted.major.saturated() > 0 || entry.minor == wanted.minor)
            };
        },
    ),
    Fault::test(
        "version-exact-above-zero",
        "wants the very minor number from 1.0 on",
        &[VERSION],
        |p| {
            p.supports = |entry, wanted| {
                (REFERENCE.supports)(entry, wanted)
                    && (wanted.major.saturated() == 0 || entry.minor == wanted.minor)
            };
        },
    ),
    Fault::test(
        "version-any-above-zero",
        "compares the major number alone from 1.0 on",
        &[VERSION],
        |p| {
            p.supports = |entry, wanted| {
                (REFERENCE.supports)(entry, wanted)
                    || (wanted.major.saturated() > 0 && entry.major == wanted.major)
            };
        },
    ),
    Fault::program(
        "version-highest-by-text",
        "sorts the versions of the runtime as texts and takes the last",
        &[VERSION],
        |ask| {
            let highest = ask.offered("protocol_versions").into_iter().max();
            let Some(wanted) = wanted(ask).and_then(REFERENCE.reduce) else { return ask.answer() };
            let entry = highest.and_then(REFERENCE.reduce).map(|entry| entry.version);
            let holds = entry.is_some_and(|entry| (REFERENCE.supports)(&entry, &wanted.version));
            ask.matching(VERSION, "/protocol_version", holds)
        },
    ),
];
