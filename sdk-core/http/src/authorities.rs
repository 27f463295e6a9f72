//! Whose certificates are believed: the system's, which its owner may have changed, and not a copy of our own.

use std::{env, fs, path::PathBuf};

use ureq::tls::{Certificate, PemItem, parse_pem};

/// Where systems keep them: Debian and Alpine, Fedora, openSUSE, macOS and the BSDs.
const PLACES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The certificates, or where they were looked for in vain.
pub(crate) fn of_the_system() -> Result<Vec<Certificate<'static>>, String> {
    let places = match env::var_os("SSL_CERT_FILE").filter(|file| !file.is_empty()) {
        Some(file) => vec![PathBuf::from(file)],
        None => PLACES.iter().map(PathBuf::from).collect(),
    };
    let read = |place: &PathBuf| Some(certificates(&fs::read(place).ok()?)).filter(|found| !found.is_empty());
    places.iter().find_map(read).ok_or_else(|| {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        format!("looked for in {}", places.join(", "))
    })
}

/// Those that can be read; a file of a hundred is not useless for one that cannot.
fn certificates(pem: &[u8]) -> Vec<Certificate<'static>> {
    let certificate = |item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    };
    parse_pem(pem).filter_map(certificate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_is_passed_over() {
        assert_eq!(certificates(b"").len(), 0);
        assert_eq!(certificates(b"-----BEGIN CERTIFICATE-----\n????\n-----END CERTIFICATE-----\n").len(), 0);
        let one = b"-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----\n";
        assert_eq!(certificates(one)[0].der(), [0, 1, 2], "who signed it is for the handshake to judge");
    }
}
