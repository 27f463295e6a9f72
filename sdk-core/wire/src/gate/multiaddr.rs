//! The three forms of multiaddr that exo takes.
//!
//! They are regular expressions in exo, so this matches like Python's `re`: a digit is a digit of any script, and one
//! newline at the end is overlooked.

/// Whether exo takes it: `/ip4/A`, `/ip6/A`, `/dns/N`, `/dns4/N` or `/dns6/N`, then `/tcp/PORT` or not, then `/p2p/ID`
/// or not.
pub(crate) fn is_taken(address: &str) -> bool {
    let address = address.strip_suffix('\n').unwrap_or(address);
    let Some((kind, rest)) = address.strip_prefix('/').and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    let (host, tail) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    let host_fits = match kind {
        "ip4" => is_four_numbers(host),
        "ip6" => is_some_of(host, |c| c.is_ascii_hexdigit() || c == ':'),
        "dns" | "dns4" | "dns6" => is_some_of(host, |c| c.is_ascii_alphanumeric() || c == '.' || c == '-'),
        _ => false,
    };
    host_fits && tail_fits(tail)
}

fn tail_fits(tail: &str) -> bool {
    let after_port = match tail.strip_prefix("/tcp/") {
        None => tail,
        Some(rest) => {
            let (port, rest) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
            if !is_number(port, 5) {
                return false;
            }
            rest
        }
    };
    after_port.is_empty()
        || after_port.strip_prefix("/p2p/").is_some_and(|id| is_some_of(id, |c| c.is_ascii_alphanumeric()))
}

fn is_four_numbers(host: &str) -> bool {
    host.split('.').count() == 4 && host.split('.').all(|number| is_number(number, 3))
}

fn is_number(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.chars().count()) && text.chars().all(is_digit)
}

fn is_some_of(text: &str, of: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(of)
}

/// A decimal digit in Unicode's sense, category Nd. All of them stand in runs of ten.
fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ZEROS.iter().any(|zero| (*zero..=zero + 9).contains(&u32::from(c)))
}

/// The zero of each script but ASCII.
/// Unicode 15.1.0, as exo's Python 3.13 has it.
const ZEROS: [u32; 67] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0,
    0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30,
    0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0,
    0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2,
    0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E950, 0x1FBF0,
];
