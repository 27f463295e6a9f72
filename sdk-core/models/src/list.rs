//! The list of a model's files, as a server tells it: names, sizes and hashes.
//!
//! It is the only thing that is believed of a server, and only as far as it goes: names that could lead out of the
//! model's directory are left out, sizes and numbers of files are bounded, and a file without a hash is an error.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{choice::is_wanted, hash::Digest, json};

/// The largest page that is read. A page has a thousand files at most, with a few hundred bytes about each.
pub(crate) const MAX_PAGE_BYTES: usize = 4 << 20;
/// Pages of a thousand files each; models that people run have less than one.
pub(crate) const MAX_PAGES: u32 = 10;
/// No honest file is larger: half a terabyte.
const MAX_FILE_BYTES: u64 = 512 << 30;
/// What is not weights is read into memory.
const MAX_SMALL_BYTES: u64 = 256 << 20;

/// A file that the engine may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Bytes.
    pub size: u64,
    /// What they hash to.
    pub digest: Digest,
}

/// The files of a model that the engine may need, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileList(BTreeMap<String, Listed>);

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    #[serde(default)]
    size: u64,
    oid: Option<String>,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    oid: String,
    size: u64,
}

impl FileList {
    /// Reads one page and adds what the engine may need. An error says what is wrong with the page.
    pub fn add_page(&mut self, page: &[u8]) -> Result<(), String> {
        if page.len() > MAX_PAGE_BYTES {
            return Err(format!("the list of files is larger than {MAX_PAGE_BYTES} bytes"));
        }
        let entries: Vec<Entry> =
            json::read(page).map_err(|error| format!("the list of files cannot be read: {error}"))?;
        for entry in entries {
            if entry.kind == "file" && is_wanted(&entry.path) {
                let listed = judged(&entry)?;
                if self.0.insert(entry.path.clone(), listed).is_some() {
                    return Err(format!("{} is listed twice", entry.path));
                }
            }
        }
        Ok(())
    }

    /// One file.
    pub fn get(&self, name: &str) -> Option<Listed> {
        self.0.get(name).copied()
    }

    /// All files, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Listed)> {
        self.0.iter().map(|(name, listed)| (name.as_str(), *listed))
    }
}

fn judged(entry: &Entry) -> Result<Listed, String> {
    let name = &entry.path;
    let digest = match &entry.lfs {
        Some(lfs) if lfs.size != entry.size => {
            return Err(format!("{name} has {} bytes and {} at once", entry.size, lfs.size));
        }
        Some(lfs) => Digest::from_lfs(&lfs.oid),
        None => entry.oid.as_deref().and_then(Digest::from_git),
    };
    let digest = digest.ok_or_else(|| format!("{name} has no hash that could be compared"))?;
    let most = if is_weights(name) { MAX_FILE_BYTES } else { MAX_SMALL_BYTES };
    if entry.size > most {
        return Err(format!("{name} has {} bytes, and {most} are allowed", entry.size));
    }
    Ok(Listed { size: entry.size, digest })
}

/// Whether it holds tensors.
pub(crate) fn is_weights(name: &str) -> bool {
    name.strip_suffix(".safetensors").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIT: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    fn read(json: &str) -> Result<FileList, String> {
        let mut list = FileList::default();
        list.add_page(json.as_bytes()).map(|()| list)
    }

    #[test]
    fn a_page_of_hugging_face_is_read() {
        let sha = "ab".repeat(32);
        let list = read(&format!(
            r#"[{{"type":"directory","oid":"{GIT}","size":0,"path":"original"}},
                {{"type":"file","oid":"{GIT}","size":937,"path":"config.json"}},
                {{"type":"file","oid":"{GIT}","size":12,"path":"README.md"}},
                {{"type":"file","oid":"{GIT}","size":335,"path":"model.safetensors","xetHash":"x",
                  "lfs":{{"oid":"{sha}","size":335,"pointerSize":134}}}}]"#
        ))
        .unwrap();
        let names: Vec<&str> = list.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["config.json", "model.safetensors"]);
        assert_eq!(list.get("model.safetensors").unwrap().digest.to_string(), sha);
    }

    #[test]
    fn names_that_lead_elsewhere_are_not_heard() {
        for path in [
            "../config.json",
            "/config.json",
            "a/config.json",
            "config.json\\u0000",
            "tokenizer/../../x",
            "tokenizer..\\\\x",
        ] {
            let list =
                read(&format!(r#"[{{"type":"file","oid":"{GIT}","size":1,"path":"{path}"}}]"#)).unwrap();
            assert_eq!(list, FileList::default(), "{path}");
        }
    }

    #[test]
    fn lists_that_lie_are_refused() {
        let file = |rest: &str| format!(r#"{{"type":"file","path":"config.json",{rest}}}"#);
        for json in [
            String::new(),
            "<html>".to_owned(),
            r#"{"error":"x"}"#.to_owned(),
            "[".repeat(100_000),
            format!("[{}]", file(r#""size":1"#)),
            format!("[{}]", file(r#""size":1,"oid":"zz""#)),
            format!("[{}]", file(&format!(r#""size":-1,"oid":"{GIT}""#))),
            format!("[{}]", file(&format!(r#""size":99999999999,"oid":"{GIT}""#))),
            format!(
                "[{}]",
                file(&format!(r#""size":1,"oid":"{GIT}","lfs":{{"oid":"{}","size":2}}"#, "ab".repeat(32)))
            ),
            format!("[{0},{0}]", file(&format!(r#""size":1,"oid":"{GIT}""#))),
            " ".repeat(MAX_PAGE_BYTES + 1),
        ] {
            assert!(read(&json).is_err(), "{}", &json[..json.len().min(80)]);
        }
    }
}
