//! URLs: where RFC 3986 and the WHATWG URL standard agree, and where not.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Fit, Question};

/// Whether a text is an `https://` URL: it breaks the rule when neither standard
/// sees that scheme and a host in it, keeps it when it is plain by both, and is
/// open between.
pub(super) fn https_url(url: &str) -> Fit {
    // WHATWG first strips these; what is no https URL then is none by RFC 3986 either.
    let stripped: String = url
        .trim_matches(|c: char| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect();
    let Some((scheme, rest)) = stripped.split_once(':') else { return Fit::Breaks };
    if !scheme.eq_ignore_ascii_case("https") || !has_host(rest) {
        return Fit::Breaks;
    }
    match url.strip_prefix("https://") {
        Some(rest) if is_plain(rest) => Fit::Holds,
        rest => Fit::Open {
            question: Question::L10,
            holds: rest.or_else(|| strip_scheme(url)).is_some_and(is_sound),
        },
    }
}

fn strip_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_at_checked("https://".len())?;
    scheme.eq_ignore_ascii_case("https://").then_some(rest)
}

/// Whether WHATWG finds a host after `https:`; it takes any number of slashes.
fn has_host(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['/', '\\']);
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..end];
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    !host.is_empty() && !host.starts_with(':')
}

/// What follows the scheme: the authority, then path, query and fragment.
fn split(rest: &str) -> (&str, &str) {
    rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()))
}

/// Whether both standards take what follows the scheme, and mean the same by it.
fn is_plain(rest: &str) -> bool {
    let (host, tail) = split(rest);
    is_plain_name(host) && is_plain_tail(tail)
}

/// A host of letters, digits and hyphens, no longer than the DNS allows.
fn is_plain_name(host: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
            && !label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
    };
    // A last label that is a number makes WHATWG read an IPv4 address.
    let last = host.rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x"))
        && last[2..].bytes().all(|b| b.is_ascii_hexdigit());
    let number = hexadecimal || last.bytes().all(|b| b.is_ascii_digit());
    host.len() <= 253 && host.split('.').all(label) && (!number || host.parse::<Ipv4Addr>().is_ok())
}

/// Path, query and fragment of the characters that RFC 3986 allows.
fn is_plain_tail(tail: &str) -> bool {
    let bytes = tail.as_bytes();
    let fragments = bytes.iter().filter(|b| **b == b'#').count();
    let allowed = |(at, b): (usize, &u8)| match b {
        b'%' => {
            let digit = |offset: usize| bytes.get(at + offset).is_some_and(u8::is_ascii_hexdigit);
            digit(1) && digit(2)
        }
        b => b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?#".contains(b),
    };
    fragments <= 1 && bytes.iter().enumerate().all(allowed)
}

/// Our own choice in the open: user information, a port, an upper-case scheme,
/// an IPv6 address and underscores are no reason to refuse.
fn is_sound(rest: &str) -> bool {
    let (authority, tail) = split(rest);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    };
    let port_is_sound = port.is_none_or(|port| {
        port.bytes().all(|b| b.is_ascii_digit()) && (port.is_empty() || port.parse::<u16>().is_ok())
    });
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host_is_sound = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => is_plain_name(&host.replace('_', "-")),
    };
    port_is_sound && host_is_sound && is_plain_tail(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_urls_hold() {
        for url in [
            "https://example.com",
            "https://example.com/",
            "https://example.com/hook?a=b&c=%20#frag/ment?",
            "https://EXAMPLE.com/A;b=c,d",
            "https://a",
            "https://a-b.c1.example/~x/@y:z",
            "https://example.com?x",
            "https://example.com#x",
            "https://192.0.2.1/x",
        ] {
            assert_eq!(https_url(url), Fit::Holds, "{url:?}");
        }
    }

    #[test]
    fn another_scheme_or_no_host_breaks() {
        for url in [
            "",
            "http://example.com",
            "HTTP://example.com",
            " http://example.com",
            "ftp://a",
            "example.com",
            "//example.com",
            "/hook",
            "https://",
            "https:",
            "https",
            "https:///",
            "https://?x",
            "https://#x",
            "https://:443/",
            "https://user@/x",
            "https://user@:1/",
            "httpss://a",
            "wss://a",
            "mailto:a@b",
            "xhttps://a",
            "https//a",
        ] {
            assert_eq!(https_url(url), Fit::Breaks, "{url:?}");
        }
    }

    #[test]
    fn where_the_standards_differ_it_is_open() {
        for (url, holds) in [
            ("HTTPS://example.com/", true),
            ("https://user:pw@example.com/", true),
            ("https://example.com:8443/x", true),
            ("https://example.com:", true),
            ("https://[::1]:8443/", true),
            ("https://[2001:db8::1]/x", true),
            ("https://my_host.example/", true),
            ("https://example.com:99999/", false),
            ("https://exämple.com/", false),
            ("https://example.com/ä", false),
            ("https://example.com/a b", false),
            (" https://example.com", false),
            ("https://example.com\n", false),
            ("https://example.com\\x", false),
            ("https:\\\\example.com", false),
            ("https:/example.com", false),
            ("https:///example.com", false),
            ("https:example.com", false),
            ("https://example.com/%zz", false),
            ("https://example.com/a#b#c", false),
            ("https://example.com/[x]", false),
            ("https://a..b/", false),
            ("https://256.1.1.1/", false),
            ("https://1.2.3/", false),
            ("https://a.0x7/", false),
            ("https://[zz]/", false),
            ("https://xn--a/", false),
            ("https://%41.com/", false),
            ("ht\ttps://example.com", false),
        ] {
            let expected = Fit::Open { question: Question::L10, holds };
            assert_eq!(https_url(url), expected, "{url:?}");
        }
    }
}
