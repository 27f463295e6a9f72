//! Where a model comes from: a server that speaks Hugging Face's addresses, and which of its models.

use crate::{Error, ModelId, Result, error::shortened};

/// Hugging Face itself, as in exo where nobody set `HF_ENDPOINT`.
const HUGGING_FACE: &str = "https://huggingface.co";
const MAX_BYTES: usize = 512;
/// Pages of a list that continue elsewhere: a cursor is long, and not this long.
const MAX_PAGE_BYTES: usize = 4096;

/// A server that speaks Hugging Face's addresses, and maybe a token for it.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    base: String,
    token: Option<String>,
}

impl Server {
    /// Hugging Face.
    pub fn hugging_face() -> Self {
        Self { base: HUGGING_FACE.into(), token: None }
    }

    /// A mirror: `https://HOST[:PORT][/PATH]`, or `http://` on a network that you trust.
    pub fn at(base: &str) -> Result<Self> {
        let base = base.trim_end_matches('/');
        match wrong(base) {
            None => Ok(Self { base: base.into(), token: None }),
            Some(why) => Err(Error::InvalidAddress { address: shortened(base, 80), why }),
        }
    }

    /// With a token for models that are not for everybody. It never goes over plain HTTP to another machine.
    pub fn token(mut self, token: &str) -> Result<Self> {
        if !(self.is_https() || self.is_loopback()) {
            let why = "a token would go over the network for everybody to read, so https is needed";
            return Err(Error::InvalidAddress { address: shortened(&self.base, 80), why });
        }
        // What is no token would end the line of its header, and begin another.
        let is_plain = |token: &&str| !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic());
        self.token = Some(token.trim()).filter(is_plain).map(Into::into);
        Ok(self)
    }

    /// A model that it has, or may have.
    pub fn model(&self, model: ModelId) -> Source {
        Source { server: self.clone(), model }
    }

    fn is_https(&self) -> bool {
        self.base.starts_with("https://")
    }

    fn is_loopback(&self) -> bool {
        let authority = authority(&self.base);
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        matches!(host, "127.0.0.1" | "localhost" | "[::1]")
    }
}

impl std::fmt::Debug for Server {
    /// Without the token: this goes to logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Server({})", self.base)
    }
}

/// A model on a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    server: Server,
    model: ModelId,
}

impl Source {
    /// The model on Hugging Face.
    pub fn hugging_face(model: ModelId) -> Self {
        Server::hugging_face().model(model)
    }

    /// The model on a mirror; see [`Server::at`].
    pub fn at(base: &str, model: ModelId) -> Result<Self> {
        Ok(Server::at(base)?.model(model))
    }

    /// With a token; see [`Server::token`].
    pub fn token(mut self, token: &str) -> Result<Self> {
        self.server = self.server.token(token)?;
        Ok(self)
    }

    /// The model.
    pub fn model(&self) -> &ModelId {
        &self.model
    }

    /// The first page of the list of files. Only the top: the engine reads nothing below it.
    pub(crate) fn list(&self, revision: &str) -> String {
        format!("{}/api/models/{}/tree/{revision}", self.server.base, self.model)
    }

    /// A file's bytes. The name was judged by [`crate::list`], so it needs no escapes.
    pub(crate) fn file(&self, revision: &str, name: &str) -> String {
        format!("{}/{}/resolve/{revision}/{name}", self.server.base, self.model)
    }

    /// The next page of a list, from the header `Link: <ADDRESS>; rel="next"`. `None` if there is none, and an error for
    /// one that leads away from this model: it could send our token anywhere.
    pub(crate) fn next_page(&self, link: &str) -> Option<Result<String, &'static str>> {
        let next = link.split(',').find(|part| part.contains("rel=\"next\"") || part.contains("rel=next"))?;
        let address =
            next.trim_start().strip_prefix('<').and_then(|rest| rest.split('>').next()).unwrap_or_default();
        let is_ours = address.starts_with(&format!("{}/api/models/{}/tree/", self.server.base, self.model));
        let is_plain = address.len() <= MAX_PAGE_BYTES && address.bytes().all(|b| b.is_ascii_graphic());
        // `..` in it would lead out of the model again.
        Some(if is_ours && is_plain && !address.contains("..") {
            Ok(address.to_owned())
        } else {
            Err("the next page of the list of files is elsewhere")
        })
    }

    pub(crate) fn token_header(&self) -> Option<(String, String)> {
        self.server.token.as_ref().map(|token| ("Authorization".into(), format!("Bearer {token}")))
    }

    pub(crate) fn is_https(&self) -> bool {
        self.server.is_https()
    }

    /// Whether an answer came from this server itself, and not from where it sent us.
    pub(crate) fn is_own(&self, address: &str) -> bool {
        authority(address).eq_ignore_ascii_case(authority(&self.server.base))
    }
}

impl std::fmt::Debug for Source {
    /// Without the token: this goes to logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source({} at {})", self.model, self.server.base)
    }
}

fn authority(address: &str) -> &str {
    let after = address.split_once("://").map_or("", |(_, after)| after);
    after.split('/').next().unwrap_or_default()
}

fn wrong(base: &str) -> Option<&'static str> {
    if base.len() > MAX_BYTES {
        Some("it is too long")
    } else if !(base.starts_with("https://") || base.starts_with("http://")) {
        Some("it begins neither with https:// nor with http://")
    } else if authority(base).is_empty() {
        Some("it has no host")
    } else if !base.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:/[]~".contains(&b))
        || base.contains("..")
    {
        Some("it has characters that a server's address has not")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(base: &str) -> Result<Source> {
        Source::at(base, "a/b".parse()?)
    }

    #[test]
    fn addresses_are_those_of_hugging_face() {
        let source = source("https://mirror.example/hf/").unwrap();
        assert_eq!(source.list("main"), "https://mirror.example/hf/api/models/a/b/tree/main");
        assert_eq!(
            source.file("main", "config.json"),
            "https://mirror.example/hf/a/b/resolve/main/config.json"
        );
        assert_eq!(
            Source::hugging_face("a/b".parse().unwrap()).list("main"),
            "https://huggingface.co/api/models/a/b/tree/main"
        );
    }

    #[test]
    fn what_is_no_address_is_refused_with_one_that_is() {
        for base in [
            "",
            "huggingface.co",
            "ftp://x",
            "https://",
            "https://a b",
            "http://a@b",
            "http://a?b",
            "http://a/../b",
        ] {
            let error = source(base).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::InvalidAddress);
            assert!(error.to_string().contains("https://huggingface.co"), "{error}");
        }
    }

    #[test]
    fn a_token_stays_off_networks_that_can_be_read_and_out_of_logs() {
        assert!(source("http://mirror.example").unwrap().token("secret").is_err());
        for base in ["https://mirror.example", "http://127.0.0.1:8080", "http://localhost", "http://[::1]:80"]
        {
            let source = source(base).unwrap().token("secret\n").unwrap();
            assert_eq!(
                source.token_header(),
                Some(("Authorization".into(), "Bearer secret".into())),
                "{base}"
            );
            assert!(!format!("{source:?}").contains("secret"));
        }
        let split = source("https://mirror.example").unwrap().token("a\r\nX-Evil: b").unwrap();
        assert_eq!(split.token_header(), None, "a token cannot write headers");
    }

    #[test]
    fn a_next_page_is_followed_only_within_the_model() {
        let source = source("https://h").unwrap();
        let next = |address: &str| source.next_page(&format!("<{address}>; rel=\"next\""));
        let page = "https://h/api/models/a/b/tree/main?cursor=ZXk%3D";
        assert_eq!(next(page), Some(Ok(page.into())));
        assert_eq!(source.next_page("<https://h/x>; rel=\"last\""), None);
        for elsewhere in [
            "https://evil/api/models/a/b/tree/main",
            "http://h/api/models/a/b/tree/x",
            "",
            "https://h/api/models/a/b/tree/../../c",
        ] {
            assert!(next(elsewhere).unwrap().is_err(), "{elsewhere}");
        }
    }
}
