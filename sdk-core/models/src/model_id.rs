//! The name of a model, as Hugging Face and exo write it: `owner/name`, or `name` alone.
//!
//! Names come from the network (exo tells a phone which model to fetch) and become directories and addresses. What this
//! type holds is safe as both: no `..`, no separator but the one, no control characters, nothing that a shell or a file
//! system would read in its own way. The rules are Hugging Face's own, so no honest name is refused.

use std::{fmt, str::FromStr};

use crate::{Error, error::shortened};

const MAX_BYTES: usize = 192;
const MAX_PART_BYTES: usize = 96;

/// A name that is safe as a directory and in an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId(String);

impl ModelId {
    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directory's name: exo writes `--` for the separator, and no name has that itself.
    pub fn directory(&self) -> String {
        self.0.replace('/', "--")
    }
}

impl FromStr for ModelId {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match wrong(name) {
            None => Ok(Self(name.to_owned())),
            Some(why) => Err(Error::InvalidModelId { name: shortened(name, 80), why }),
        }
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn wrong(name: &str) -> Option<&'static str> {
    if name.len() > MAX_BYTES {
        return Some("it is too long");
    }
    let parts: Vec<&str> = name.split('/').collect();
    if parts.len() > 2 {
        return Some("it has more than one /");
    }
    // exo keeps lists of files in a directory of that name, beside the models.
    if name.eq_ignore_ascii_case("caches") {
        return Some("the name is taken");
    }
    parts.into_iter().find_map(wrong_part)
}

fn wrong_part(part: &str) -> Option<&'static str> {
    let is_edge = |c: char| c == '-' || c == '.';
    if part.is_empty() || part.len() > MAX_PART_BYTES {
        Some("owner and name have 1 to 96 characters each")
    } else if !part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)) {
        Some("only letters, digits, -, _ and . are allowed")
    } else if part.starts_with(is_edge) || part.ends_with(is_edge) {
        Some("neither part may begin or end with - or .")
    } else if part.contains("--") || part.contains("..") {
        Some("-- and .. are not allowed")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_the_directory_that_exo_uses() {
        let id: ModelId = "mlx-community/Qwen3-0.6B-4bit".parse().unwrap();
        assert_eq!(id.directory(), "mlx-community--Qwen3-0.6B-4bit");
        assert_eq!("gpt2".parse::<ModelId>().unwrap().directory(), "gpt2");
    }

    #[test]
    fn names_that_would_lead_elsewhere_are_refused() {
        let long = "a".repeat(97);
        for name in [
            "",
            "/",
            "..",
            ".",
            "a/..",
            "../a",
            "a/../b",
            "/etc",
            "a/",
            "/a",
            "a/b/c",
            "a\\b",
            "a:b",
            "~/a",
            "a b",
            "a\0",
            "a\n",
            "a/\u{202e}b",
            "ä/b",
            "a%2fb",
            "a?b",
            "a#b",
            ".git/a",
            "a/b.",
            "-rf/a",
            "a--b/c",
            "a/b..c",
            "caches",
            "Caches",
            &long,
        ] {
            let error = name.parse::<ModelId>().unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::InvalidModelId, "{name:?}");
            assert!(error.to_string().contains("OWNER/NAME"), "{error}");
        }
    }

    #[test]
    fn a_message_about_a_long_name_is_short() {
        let error = "x".repeat(1 << 20).parse::<ModelId>().unwrap_err();
        assert!(error.to_string().len() < 400);
    }
}
