//! The other rules of matching, and what has no part in it.

use super::super::ask::extensions;
use super::super::fault::Fault;
use super::super::{Answer, Ask};
use crate::reference::REFERENCE;

const VERSION: &str = "match.protocol-version";
const CAPABILITIES: &str = "match.agent-capabilities";
const PROFILE: &str = "match.isolation-profile";
const TARGET: &str = "match.state-publication-target";
const ALL: &str = "match.report-all";
const NOT_VALIDATED: &str = "match.manifest-not-validated";

/// Adds a rejection to a match where some test of the manifest finds a reason.
fn refused(ask: &Ask<'_>, rule: &str, at: &str, reason: bool) -> Answer {
    ask.refusing(rule, at, reason && !ask.validates())
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::test(
        "capabilities-any",
        "is content with one capability that is supported",
        &[CAPABILITIES],
        |p| {
            p.capabilities_supported = |wanted, offered| {
                wanted.is_empty() || wanted.iter().any(|one| offered.contains(one))
            };
        },
    ),
    Fault::test(
        "capabilities-first",
        "looks at the first capability alone",
        &[CAPABILITIES],
        |p| {
            p.capabilities_supported =
                |wanted, offered| wanted.first().is_none_or(|one| offered.contains(one));
        },
    ),
    Fault::test("capabilities-last", "looks at the last capability alone", &[CAPABILITIES], |p| {
        p.capabilities_supported =
            |wanted, offered| wanted.last().is_none_or(|one| offered.contains(one));
    }),
    Fault::test(
        "capabilities-all",
        "wants no capability that the manifest does not declare",
        &[CAPABILITIES],
        |p| {
            p.capabilities_supported = |wanted, offered| {
                wanted.iter().all(|one| offered.contains(one))
                    && offered.iter().all(|one| wanted.contains(one))
            };
        },
    ),
    Fault::test(
        "capabilities-turned-round",
        "wants everything that the runtime supports to be declared",
        &[CAPABILITIES],
        |p| {
            p.capabilities_supported =
                |wanted, offered| offered.iter().all(|one| wanted.contains(one));
        },
    ),
    Fault::test("capabilities-counted", "compares how many there are", &[CAPABILITIES], |p| {
        p.capabilities_supported = |wanted, offered| wanted.len() <= offered.len();
    }),
    Fault::test(
        "capabilities-in-order",
        "wants the capabilities in the runtime's order",
        &[CAPABILITIES],
        |p| {
            p.capabilities_supported = |wanted, offered| offered.starts_with(wanted);
        },
    ),
    Fault::test(
        "capabilities-by-part",
        "finds a capability in a longer one",
        &[CAPABILITIES],
        |p| {
            p.capabilities_supported = |wanted, offered| {
                wanted.iter().all(|one| offered.iter().any(|other| other.contains(one)))
            };
        },
    ),
    Fault::test("capabilities-hyphens", "takes hyphens for underscores", &[CAPABILITIES], |p| {
        p.capabilities_supported = |wanted, offered| {
            wanted.iter().all(|one| offered.contains(&one.replace('-', "_").as_str()))
        };
    }),
    Fault::test(
        "capabilities-none-refused",
        "lets no manifest match that declares nothing",
        &[CAPABILITIES],
        |p| {
            p.capabilities_supported = |wanted, offered| {
                !wanted.is_empty() && (REFERENCE.capabilities_supported)(wanted, offered)
            };
        },
    ),
    Fault::test(
        "capabilities-not-compared",
        "does not compare capabilities",
        &[CAPABILITIES],
        |p| p.capabilities_supported = |_, _| true,
    ),
    Fault::test(
        "capability-restore-optional",
        "takes snapshot_restore for a wish",
        &[CAPABILITIES],
        |p| {
            p.capabilities_supported = |wanted, offered| {
                wanted.iter().all(|one| *one == "snapshot_restore" || offered.contains(one))
            };
        },
    ),
    Fault::test(
        "capability-secrets-optional",
        "takes read_secrets for a wish",
        &[CAPABILITIES],
        |p| {
            p.capabilities_supported = |wanted, offered| {
                wanted.iter().all(|one| *one == "read_secrets" || offered.contains(one))
            };
        },
    ),
    Fault::test(
        "profile-stronger",
        "lets a stronger isolation stand for a weaker",
        &[PROFILE],
        |p| {
            p.profile_supported = |wanted, offered| {
                let order = ["sandbox-process", "container", "dedicated-vm"];
                let rank = |profile: &str| order.iter().position(|one| *one == profile);
                offered.contains(&wanted) || offered.iter().any(|one| rank(one) > rank(wanted))
            };
        },
    ),
    Fault::test(
        "profile-weaker",
        "lets a weaker isolation stand for a stronger",
        &[PROFILE],
        |p| {
            p.profile_supported = |wanted, offered| {
                let order = ["dedicated-vm", "container", "sandbox-process"];
                let rank = |profile: &str| order.iter().position(|one| *one == profile);
                offered.contains(&wanted) || offered.iter().any(|one| rank(one) > rank(wanted))
            };
        },
    ),
    Fault::test(
        "profile-first",
        "looks at the first isolation profile of the runtime alone",
        &[PROFILE],
        |p| {
            p.profile_supported = |wanted, offered| offered.first() == Some(&wanted);
        },
    ),
    Fault::test(
        "profile-last",
        "looks at the last isolation profile of the runtime alone",
        &[PROFILE],
        |p| {
            p.profile_supported = |wanted, offered| offered.last() == Some(&wanted);
        },
    ),
    Fault::test("profile-by-part", "finds a profile in a longer one", &[PROFILE], |p| {
        p.profile_supported = |wanted, offered| offered.iter().any(|one| one.contains(wanted));
    }),
    Fault::test("profile-without-case", "compares profiles without case", &[PROFILE], |p| {
        p.profile_supported =
            |wanted, offered| offered.iter().any(|one| one.eq_ignore_ascii_case(wanted));
    }),
    Fault::test("profile-not-compared", "does not compare profiles", &[PROFILE], |p| {
        p.profile_supported = |_, _| true
    }),
    Fault::test("target-first", "looks at the first target of the runtime alone", &[TARGET], |p| {
        p.target_supported = |wanted, offered| offered.first() == Some(&wanted);
    }),
    Fault::test("target-last", "looks at the last target of the runtime alone", &[TARGET], |p| {
        p.target_supported = |wanted, offered| offered.last() == Some(&wanted);
    }),
    Fault::test(
        "target-control-process-always",
        "takes control-process for supported everywhere",
        &[TARGET],
        |p| {
            p.target_supported =
                |wanted, offered| wanted == "control-process" || offered.contains(&wanted);
        },
    ),
    Fault::test("target-file-always", "takes file for supported everywhere", &[TARGET], |p| {
        p.target_supported = |wanted, offered| wanted == "file" || offered.contains(&wanted);
    }),
    Fault::test("target-trimmed", "cuts blanks off the target", &[TARGET], |p| {
        p.target_supported = |wanted, offered| offered.contains(&wanted.trim())
    }),
    Fault::test("target-not-compared", "does not compare targets", &[TARGET], |p| {
        p.target_supported = |_, _| true
    }),
    Fault::program(
        "stops-after-version",
        "compares nothing else when the version does not match",
        &[ALL],
        |ask| {
            let failed = ask.answer().reports(VERSION);
            ask.answer().printing(|finding| !failed || finding.rule == VERSION)
        },
    ),
    Fault::program("stops-at-first-rule", "stops at the first rule that fails", &[ALL], |ask| {
        let answer = ask.answer();
        let first =
            answer.findings.iter().find(|f| f.rule.starts_with("match.")).map(|f| f.rule.clone());
        answer.printing(|f| !f.rule.starts_with("match.") || first.as_deref() == Some(&f.rule))
    }),
    Fault::program(
        "documents-swapped",
        "takes the first document for the manifest",
        &["match.exit-code"],
        |ask| {
            let other = |name: &str| ask.document(name).map(|document| document.bytes.to_vec());
            if ask.validates() {
                return ask.answer();
            }
            ask.rewritten(|document| {
                other(if document.name == "manifest" { "runtime" } else { "manifest" })
            })
        },
    ),
    Fault::program(
        "manifest-validated-strictly",
        "lets only manifests match that are valid in strict mode",
        &[NOT_VALIDATED],
        |ask| {
            let invalid = !ask.validates() && !ask.ask("strict").accepted();
            if invalid { ask.answer().rejecting() } else { ask.answer() }
        },
    ),
    Fault::program(
        "manifest-validated-leniently",
        "lets only manifests match that are valid in lenient mode",
        &[NOT_VALIDATED],
        |ask| {
            let invalid = !ask.validates() && !ask.ask("lenient").accepted();
            if invalid { ask.answer().rejecting() } else { ask.answer() }
        },
    ),
    Fault::program(
        "manifest-unknown-fields-refused",
        "lets no manifest match that has an unknown field",
        &[NOT_VALIDATED],
        |ask| {
            let strict = ask.ask("strict");
            let unknown = strict.findings.iter().any(|f| f.rule.contains("unknown-field"));
            if unknown && !ask.validates() { ask.answer().rejecting() } else { ask.answer() }
        },
    ),
    Fault::program(
        "secrets-have-a-part",
        "wants the runtime to list the secrets by name",
        &["match.ignores-secrets"],
        |ask| refused(ask, CAPABILITIES, "/secrets", ask.manifest(&["secrets"]).is_some()),
    ),
    Fault::program(
        "secrets-need-capability",
        "lets no manifest match that has secrets without read_secrets",
        &["match.ignores-secrets", NOT_VALIDATED],
        |ask| {
            let declared = ask.wanted("agent_capabilities").contains(&"read_secrets");
            refused(
                ask,
                CAPABILITIES,
                "/secrets",
                ask.manifest(&["secrets"]).is_some() && !declared,
            )
        },
    ),
    Fault::program(
        "secrets-need-support",
        "wants read_secrets of the runtime for any manifest with secrets",
        &["match.ignores-secrets"],
        |ask| {
            let offered = ask.offered("agent_capabilities").contains(&"read_secrets");
            refused(ask, CAPABILITIES, "/secrets", ask.manifest(&["secrets"]).is_some() && !offered)
        },
    ),
    Fault::program(
        "snapshot-has-a-part",
        "wants snapshot_restore of the runtime for any manifest with a snapshot",
        &["match.ignores-snapshot"],
        |ask| {
            let offered = ask.offered("agent_capabilities").contains(&"snapshot_restore");
            refused(
                ask,
                CAPABILITIES,
                "/snapshot",
                ask.manifest(&["snapshot"]).is_some() && !offered,
            )
        },
    ),
    Fault::program(
        "snapshot-needed",
        "lets no manifest match that wants snapshot_restore and has no snapshot",
        &["match.ignores-snapshot"],
        |ask| {
            let declared = ask.wanted("agent_capabilities").contains(&"snapshot_restore");
            refused(
                ask,
                CAPABILITIES,
                "/snapshot",
                declared && ask.manifest(&["snapshot"]).is_none(),
            )
        },
    ),
    Fault::program(
        "extensions-have-a-part",
        "lets no documents match that have extensions",
        &["match.ignores-extensions"],
        |ask| {
            let extended = ask.extensions().chain(extensions(ask.runtime(&[]))).next().is_some();
            refused(ask, VERSION, "", extended)
        },
    ),
    Fault::program(
        "extensions-add",
        "takes x-isolation_profiles for more of the same",
        &["match.ignores-extensions"],
        |ask| {
            let profile = ask.text(&["isolation_profile"]);
            let more = ask.offered("x-isolation_profiles");
            match profile {
                Some(profile) if more.contains(&profile) => {
                    ask.matching(PROFILE, "/isolation_profile", true)
                }
                _ => ask.answer(),
            }
        },
    ),
];
