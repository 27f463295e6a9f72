//! The grammar of a link, strict and total: any text ends in a link or in an error that helps.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use exo_wire::datagram::{API_PORT, ZENOH_PORT};

use super::{BadLink, Host, Link};

const LONGEST: usize = 512;
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;
const LONGEST_SCOPE: usize = 32;
const LONGEST_NAMESPACE: usize = 128;

pub(super) fn link(text: &str) -> Result<Link, BadLink> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(BadLink::TooLong(LONGEST));
    }
    let rest = after_scheme(text)?;
    let (place, query) = match rest.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (rest, None),
    };
    let place = place.strip_suffix('/').unwrap_or(place);
    if let Some(odd) =
        rest.chars().find(|c| matches!(c, '@' | '#' | '\\')).or(place.chars().find(|c| *c == '/'))
    {
        return Err(BadLink::Unexpected(odd.to_string()));
    }
    let (host, port) = host_and_port(place)?;
    let (namespace, api) = parameters(query.unwrap_or(""))?;
    Ok(Link { host, port: port.unwrap_or(ZENOH_PORT), namespace, api: api.unwrap_or(API_PORT) })
}

fn after_scheme(text: &str) -> Result<&str, BadLink> {
    match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("exo") => Ok(rest),
        Some((scheme, _)) => Err(BadLink::Scheme(shown(scheme))),
        None => Ok(text),
    }
}

fn host_and_port(place: &str) -> Result<(Host, Option<u16>), BadLink> {
    if place.is_empty() {
        return Err(BadLink::NoHost);
    }
    if let Some(inside) = place.strip_prefix('[') {
        let (address, after) = inside.split_once(']').ok_or_else(|| BadLink::NotIpv6(shown(inside)))?;
        let host = ipv6(address)?;
        return match after.strip_prefix(':') {
            Some(digits) => Ok((host, Some(port(digits)?))),
            None if after.is_empty() => Ok((host, None)),
            None => Err(BadLink::Unexpected(shown(after))),
        };
    }
    let (name, digits) = match place.split_once(':') {
        Some((_, more)) if more.contains(':') => return Err(BadLink::Brackets(shown(place))),
        Some((name, digits)) => (name, Some(digits)),
        None => (place, None),
    };
    Ok((name_or_ipv4(name)?, digits.map(port).transpose()?))
}

fn ipv6(text: &str) -> Result<Host, BadLink> {
    let (address, scope) = match text.split_once('%') {
        Some((address, scope)) => {
            (address, Some(scope_of(scope).ok_or_else(|| BadLink::NotIpv6(shown(text)))?))
        }
        None => (text, None),
    };
    let ip: Ipv6Addr = address.parse().map_err(|_| BadLink::NotIpv6(shown(text)))?;
    match ip.to_ipv4_mapped() {
        Some(v4) => address_of_one_host(IpAddr::V4(v4), None),
        None => address_of_one_host(IpAddr::V6(ip), scope),
    }
}

/// In a URI the percent sign before a scope is written `%25`; many write it bare. `%25` alone is interface 25.
fn scope_of(text: &str) -> Option<String> {
    let scope = text.strip_prefix("25").filter(|rest| !rest.is_empty()).unwrap_or(text);
    let sound = scope.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    (sound && (1..=LONGEST_SCOPE).contains(&scope.len())).then(|| scope.to_owned())
}

fn address_of_one_host(ip: IpAddr, scope: Option<String>) -> Result<Host, BadLink> {
    let broadcast = ip == IpAddr::V4(Ipv4Addr::BROADCAST);
    if ip.is_unspecified() || ip.is_multicast() || broadcast {
        return Err(BadLink::NotOneHost(ip));
    }
    Ok(Host::Address(ip, scope))
}

fn name_or_ipv4(text: &str) -> Result<Host, BadLink> {
    if text.is_empty() {
        return Err(BadLink::NoHost);
    }
    if let Ok(ip) = text.parse::<Ipv4Addr>() {
        return address_of_one_host(IpAddr::V4(ip), None);
    }
    let name = text.strip_suffix('.').unwrap_or(text);
    let mut labels = name.split('.');
    // A last label of digits alone is a mistyped address, never a name.
    let numeric = name.rsplit('.').next().is_none_or(|last| last.bytes().all(|b| b.is_ascii_digit()));
    if numeric || name.len() > LONGEST_NAME || !labels.all(is_label) {
        return Err(BadLink::NotHost(shown(text)));
    }
    Ok(Host::Name(name.to_ascii_lowercase()))
}

fn is_label(label: &str) -> bool {
    let sound = label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    sound && (1..=LONGEST_LABEL).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
}

fn port(text: &str) -> Result<u16, BadLink> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|port| digits && *port != 0);
    number.ok_or_else(|| BadLink::Port(shown(text)))
}

fn parameters(query: &str) -> Result<(Option<String>, Option<u16>), BadLink> {
    let (mut namespace, mut api) = (None, None);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let twice = match key {
            "ns" => namespace.replace(percent_decoded(value)?).is_some(),
            "api" => api.replace(port(value)?).is_some(),
            _ => return Err(BadLink::Parameter(shown(key))),
        };
        if twice {
            return Err(BadLink::Twice(shown(key)));
        }
    }
    Ok((namespace, api))
}

fn percent_decoded(text: &str) -> Result<String, BadLink> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || bytes.next().and_then(|b| (b as char).to_digit(16));
                let (high, low) = (digit(), digit());
                high.zip(low).map(|(high, low)| (high * 16 + low) as u8).ok_or(BadLink::Namespace)?
            }
            other => other,
        });
    }
    let namespace = String::from_utf8(decoded).map_err(|_| BadLink::Namespace)?;
    let sound = !namespace.chars().any(char::is_control);
    let fits = (1..=LONGEST_NAMESPACE).contains(&namespace.len());
    Some(namespace).filter(|_| sound && fits).ok_or(BadLink::Namespace)
}

/// What an error repeats of a stranger's text: short, and nothing that moves a terminal's cursor.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(64).collect()
}
