//! Where state is published: `path` and `url`.

use super::super::fault::Fault;
use crate::reference::{Fit, Question, REFERENCE};

const PATH_NEEDED: &str = "manifest.state_publication.path.required-for-file";
const PATH: &str = "manifest.state_publication.path.relative";
const URL_NEEDED: &str = "manifest.state_publication.url.required-for-webhook";
const URL: &str = "manifest.state_publication.url.https";
const SCHEMA: &str = "manifest.schema-agrees";

fn fit(holds: bool) -> Fit {
    if holds { Fit::Holds } else { Fit::Breaks }
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::test("path-not-needed", "asks for no path", &[PATH_NEEDED], |p| p.path_targets = &[]),
    Fault::test("path-always-needed", "asks for a path with every target", &[PATH_NEEDED], |p| {
        p.path_targets = REFERENCE.targets
    }),
    Fault::test(
        "path-for-webhook",
        "takes webhook for the target that needs a path",
        &[PATH_NEEDED, URL_NEEDED],
        |p| {
            (p.path_targets, p.url_targets) = (&["webhook"], &["file"]);
        },
    ),
    Fault::program(
        "path-empty-is-missing",
        "asks for a path that is not empty as for one that is there",
        &[PATH_NEEDED],
        |ask| {
            let is_empty = ask.text(&["state_publication", "path"]) == Some("");
            ask.refusing(PATH_NEEDED, "/state_publication/path", ask.is_strict() && is_empty)
        },
    )
    .equivalent("L9: whether an empty path is relative is open"),
    Fault::test("path-absolute", "takes absolute paths", &[PATH], |p| {
        p.state_path = |_| Fit::Holds
    }),
    Fault::test("path-windows-only", "knows absolute paths by their drive alone", &[PATH], |p| {
        p.state_path = |path| fit(path.get(1..2) != Some(":"));
    }),
    Fault::test(
        "path-two-slashes",
        "takes for absolute only what begins with one slash",
        &[PATH],
        |p| {
            p.state_path = |path| {
                if path.starts_with("//") { Fit::Holds } else { (REFERENCE.state_path)(path) }
            };
        },
    ),
    Fault::test("path-in-living", "wants the path below .living", &[PATH], |p| {
        p.state_path = |path| fit(path.starts_with(".living/"));
    }),
    Fault::test("path-without-dot", "refuses paths that begin with a dot", &[PATH], |p| {
        p.state_path = |path| fit(!path.starts_with(['.', '/']));
    }),
    Fault::test(
        "path-no-parent",
        "refuses a path that leads out of the repository",
        &[PATH],
        |p| {
            p.state_path =
                |path| fit(!path.starts_with('/') && !path.split('/').any(|part| part == ".."));
        },
    )
    .equivalent("L9: whether a path with .. in it is relative to the root is open"),
    Fault::program(
        "path-beside-webhook",
        "refuses a path or a URL beside another target",
        &[PATH, URL],
        |ask| {
            let node = |key| ask.manifest(&["state_publication", key]);
            let target = ask.text(&["state_publication", "target"]).unwrap_or_default();
            let odd = (node("path").is_some() && target != "file")
                || (node("url").is_some() && target != "webhook");
            ask.refusing(PATH, "/state_publication", ask.is_strict() && odd)
        },
    ),
    Fault::test("url-not-needed", "asks for no URL", &[URL_NEEDED], |p| p.url_targets = &[]),
    Fault::test("url-always-needed", "asks for a URL with every target", &[URL_NEEDED], |p| {
        p.url_targets = REFERENCE.targets
    }),
    Fault::test("url-not-checked", "takes any string for a URL", &[URL], |p| {
        p.https_url = |_| Fit::Holds
    }),
    Fault::test("url-http", "takes http as well", &[URL], |p| {
        p.https_url = |url| match url.strip_prefix("http://") {
            Some(rest) => (REFERENCE.https_url)(&format!("https://{rest}")),
            None => (REFERENCE.https_url)(url),
        };
    }),
    Fault::test("url-any-scheme", "takes any scheme", &[URL], |p| {
        p.https_url = |url| fit(url.contains("://"))
    }),
    Fault::test(
        "url-prefix",
        "looks for https:// at the start and at nothing else",
        &[URL, SCHEMA],
        |p| {
            p.https_url = |url| fit(url.starts_with("https://"));
        },
    ),
    Fault::test(
        "url-https-prefix",
        "looks for https at the start and at nothing else",
        &[URL],
        |p| {
            p.https_url = |url| fit(url.starts_with("https"));
        },
    ),
    Fault::test("url-https-anywhere", "finds https:// anywhere in a text", &[URL], |p| {
        p.https_url = |url| {
            fit(url.contains("https://") && (REFERENCE.https_url)(url) != Fit::Breaks
                || url.contains("https://"))
        };
    }),
    Fault::test("url-needs-path", "wants a path after the host", &[URL], |p| {
        p.https_url = |url| match url.strip_prefix("https://") {
            Some(rest) if !rest.contains('/') => Fit::Breaks,
            _ => (REFERENCE.https_url)(url),
        };
    }),
    Fault::test("url-needs-dot", "wants a dot in the host", &[URL], |p| {
        p.https_url = |url| match url.strip_prefix("https://") {
            Some(rest) if !rest.split('/').next().unwrap_or_default().contains('.') => Fit::Breaks,
            _ => (REFERENCE.https_url)(url),
        };
    }),
    Fault::test("url-without-query", "refuses a query", &[URL], |p| {
        p.https_url =
            |url| if url.contains('?') { Fit::Breaks } else { (REFERENCE.https_url)(url) };
    }),
    Fault::test("url-without-port", "refuses ports and user information", &[URL], |p| {
        p.https_url = |url| {
            let authority =
                url.strip_prefix("https://").and_then(|rest| rest.split(['/', '?', '#']).next());
            match authority {
                Some(authority) if authority.contains([':', '@']) => Fit::Breaks,
                _ => (REFERENCE.https_url)(url),
            }
        };
    })
    .equivalent("L10: the spec says no more of the URL than its scheme"),
    Fault::test("url-scheme-case", "takes no capital letters in the scheme", &[URL], |p| {
        p.https_url = |url| match (REFERENCE.https_url)(url) {
            Fit::Open { question, .. } => {
                Fit::Open { question, holds: url.starts_with("https://") }
            }
            firm => firm,
        };
    })
    .equivalent("L10: the spec says no more of the URL than its scheme"),
    Fault::test("path-odd-accepted", "takes odd paths that are not absolute", &[PATH], |p| {
        p.state_path = |path| match (REFERENCE.state_path)(path) {
            Fit::Open { .. } => Fit::Open { question: Question::L9, holds: true },
            firm => firm,
        };
    })
    .equivalent("L9: what else makes a path odd is open"),
];
