//! Links that people give: `exo://host[:port]?ns=NAME`.

use exo_node::discovery;

use crate::{ExoError, Result};

/// What a link would do, to be shown to a person before anything is sent.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct LinkPreview {
    /// The link as it is written. This is what `JoinOptions` takes once a person agreed.
    pub link: String,
    /// The host that would be dialled.
    pub host: String,
    /// The port of its zenoh router.
    pub port: u16,
    /// The name of its cluster, if the link has one.
    pub namespace: Option<String>,
    /// The port of its HTTP interface.
    pub api: u16,
}

/// Reads a link or a bare address. Nothing is resolved or sent; the error says what to write instead.
#[uniffi::export]
pub fn read_link(text: &str) -> Result<LinkPreview> {
    let unconfirmed = discovery::Link::parse(text).map_err(ExoError::invalid)?;
    let link = unconfirmed.link();
    Ok(LinkPreview {
        link: link.to_string(),
        host: link.host().to_string(),
        port: link.port(),
        namespace: link.namespace().map(str::to_owned),
        api: link.api(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn a_link_is_shown_before_it_is_used() {
        let shown = read_link("exo://192.168.1.7?ns=home").unwrap();
        assert_eq!((shown.host.as_str(), shown.port), ("192.168.1.7", 52414));
        assert_eq!(shown.namespace.as_deref(), Some("home"));
        assert_eq!(shown.link, "exo://192.168.1.7?ns=home");
    }

    #[test]
    fn a_bad_link_says_what_to_write() {
        let error = read_link("http://example.org").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.reason().contains("exo://"), "{error}");
    }
}
