//! A model's directory in the Hugging Face layout: which files there are and what they hold.
//!
//! Opening reads `config.json` and the headers of the weights; no weight is read and nothing is allocated for one.

mod safetensors;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read,
    ops::Range,
    path::{Path, PathBuf},
};

pub(crate) use safetensors::{Entry, FileType};
use safetensors::{PREFIX_BYTES, header_length, tensors};

use crate::{Error, Result, json};

/// No honest `config.json` is larger.
const MAX_CONFIG_BYTES: u64 = 4 << 20;

/// A directory with a model in it.
#[derive(Debug)]
pub(crate) struct Directory {
    /// `config.json` as it is.
    pub(crate) config: serde_json::Value,
    /// Every tensor of every weights file, and which file it is in.
    pub(crate) tensors: BTreeMap<String, Stored>,
    files: Vec<PathBuf>,
}

/// A tensor in one of the directory's files.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    file: usize,
    pub(crate) entry: Entry,
}

impl Directory {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let config = Self::config_in(path)?;
        let files = weights_files(path)?;
        let mut all = BTreeMap::new();
        for (file, path) in files.iter().enumerate() {
            for (name, entry) in header(path)? {
                if all.insert(name.clone(), Stored { file, entry }).is_some() {
                    return Err(Error::InvalidModel {
                        file: file_name(path),
                        what: format!("{name} is in another file of the model too"),
                    });
                }
            }
        }
        Ok(Self { config, tensors: all, files })
    }

    /// What `config.json` says; weights need not be there yet.
    pub(crate) fn config_in(path: &Path) -> Result<serde_json::Value> {
        let config = small_file(&path.join("config.json"), MAX_CONFIG_BYTES)?;
        json::read(&config).map_err(|e| Error::InvalidModel {
            file: "config.json".into(),
            what: format!("it is not JSON: {e}"),
        })
    }

    /// The file that holds a tensor.
    pub(crate) fn path_of(&self, tensor: &Stored) -> &Path {
        &self.files[tensor.file]
    }

    /// A file beside the weights, such as `tokenizer.json`. `None` if there is none.
    pub(crate) fn beside(directory: &Path, name: &str, most_bytes: u64) -> Result<Option<Vec<u8>>> {
        let path = directory.join(name);
        if path.exists() { small_file(&path, most_bytes).map(Some) } else { Ok(None) }
    }
}

/// The files that MLX would read: `model*.safetensors`, in order.
fn weights_files(path: &Path) -> Result<Vec<PathBuf>> {
    let listing = fs::read_dir(path).map_err(|e| io_error(path, &e))?;
    let mut files = Vec::new();
    for item in listing {
        let item = item.map_err(|e| io_error(path, &e))?;
        let name = item.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("model")
            && Path::new(name.as_ref()).extension().is_some_and(|e| e == "safetensors")
        {
            files.push(item.path());
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Error::Io {
            path: path.into(),
            reason: "there is no model*.safetensors; download the whole model".into(),
        });
    }
    Ok(files)
}

fn header(path: &Path) -> Result<BTreeMap<String, Entry>> {
    let name = file_name(path);
    let mut file = File::open(path).map_err(|e| io_error(path, &e))?;
    let size = file.metadata().map_err(|e| io_error(path, &e))?.len();
    if size < PREFIX_BYTES {
        return Err(Error::InvalidModel { file: name, what: format!("it has {size} bytes: it is cut off") });
    }
    let mut prefix = [0; PREFIX_BYTES as usize];
    file.read_exact(&mut prefix).map_err(|e| io_error(path, &e))?;
    let mut header = vec![0; header_length(&name, prefix, size)? as usize];
    file.read_exact(&mut header).map_err(|e| io_error(path, &e))?;
    tensors(&name, &header, size)
}

/// The names of a file's tensors and where they lie, from the bytes that it begins with and its size: for fuzzers, which
/// have no files.
#[doc(hidden)]
pub fn tensors_in_header(beginning: &[u8], file_bytes: u64) -> Result<Vec<(String, Range<u64>)>> {
    let Some((prefix, rest)) = beginning.split_first_chunk() else { return Ok(Vec::new()) };
    let length = header_length("a file", *prefix, file_bytes)?;
    let header = usize::try_from(length).ok().and_then(|length| rest.get(..length)).unwrap_or(rest);
    Ok(tensors("a file", header, file_bytes)?.into_iter().map(|(name, entry)| (name, entry.bytes)).collect())
}

/// A whole file, if it is not larger than anybody would need.
fn small_file(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(|e| io_error(path, &e))?;
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there is more: sizes that a file system reports may lie.
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| io_error(path, &e))?;
    if bytes.len() as u64 > most {
        return Err(Error::InvalidModel {
            file: file_name(path),
            what: format!("it is larger than {most} bytes"),
        });
    }
    Ok(bytes)
}

pub(crate) fn io_error(path: &Path, error: &std::io::Error) -> Error {
    Error::Io { path: path.into(), reason: error.to_string() }
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
