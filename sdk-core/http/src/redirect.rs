//! Where an answer sends us. Followed by hand, because clients differ in what they hold for the same host: to ureq a
//! token for one port is one for every port.

/// Hugging Face needs two or three: to the commit, to the store, to the nearest copy.
pub(crate) const MOST: u32 = 10;

/// Whether a status means that the answer is elsewhere.
pub(crate) fn is_one(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// The address that `location` means when it came from `from`, or why nobody goes there.
pub(crate) fn target(from: &str, location: &str) -> Result<String, &'static str> {
    let (scheme, rest) = from.split_once("://").ok_or("the address has no scheme")?;
    let to = if let Some(rest) = location.strip_prefix("//") {
        format!("{scheme}://{rest}")
    } else if location.starts_with('/') {
        format!("{scheme}://{}{location}", rest.split(['/', '?', '#']).next().unwrap_or_default())
    } else if location.contains("://") {
        location.to_owned()
    } else {
        return Err("the server sent us to an address that begins nowhere");
    };
    let is_https =
        |address: &str| address.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
    let is_http = |address: &str| address.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"));
    match (is_https(&to), is_http(&to)) {
        (true, _) => Ok(to),
        (_, true) if is_https(from) => {
            Err("the server sent us from https to http, where anybody could change the file")
        }
        (_, true) => Ok(to),
        _ => Err("the server sent us to what is neither https nor http"),
    }
}

/// Whether both are the same scheme, host and port: a token for one is then one for the other.
pub(crate) fn is_same_origin(one: &str, other: &str) -> bool {
    origin(one).eq_ignore_ascii_case(origin(other))
}

fn origin(address: &str) -> &str {
    let after = address.find("://").map_or(0, |at| at + 3);
    let end = address[after..].find(['/', '?', '#']).map_or(address.len(), |at| after + at);
    &address[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_joined_as_browsers_do() {
        let to = |location| target("https://h:1/a/b?c=d", location);
        assert_eq!(to("/x?y").unwrap(), "https://h:1/x?y");
        assert_eq!(to("//cdn/x").unwrap(), "https://cdn/x");
        assert_eq!(to("https://cdn/x").unwrap(), "https://cdn/x");
        assert_eq!(target("http://h", "/x").unwrap(), "http://h/x");
        assert_eq!(target("http://h/x", "https://h/x").unwrap(), "https://h/x");
    }

    #[test]
    fn nobody_is_led_astray() {
        for location in
            ["http://h/x", "HTTP://h/x", "file:///etc/passwd", "ftp://h/x", "x", "", "javascript:alert(1)"]
        {
            assert!(target("https://h/a", location).is_err(), "{location}");
        }
    }

    #[test]
    fn a_token_stays_with_scheme_host_and_port() {
        assert!(is_same_origin("https://h/a", "https://H/b?c") && is_same_origin("https://h?a", "https://h"));
        for other in
            ["https://h:444/a", "http://h/a", "https://h.evil/a", "https://evil/h", "https://h@evil/"]
        {
            assert!(!is_same_origin("https://h/a", other), "{other}");
        }
    }
}
