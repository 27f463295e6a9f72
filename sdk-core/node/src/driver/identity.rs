//! Who this device is, kept between runs.
//!
//! exo never forgets a node's name within a session, so a new id at each start would fill its dashboard with ghosts,
//! and a phone that was killed could not clean up what it left. Two nodes of one directory that run at the same time
//! get ids of their own, and keep them.

use std::{
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use exo_wire::NodeId;

use super::{entropy, files};

/// More nodes of one directory at the same time are strangers: the last gets an id that is not kept.
const MOST_AT_ONCE: usize = 64;
/// Longer than any id.
const LONGEST: u64 = 64;

/// An id, reserved for us as long as this lives.
#[derive(Debug)]
pub(super) struct Stored {
    /// The id.
    pub(super) node_id: NodeId,
    /// What went wrong, for people: the id is new, or will not be kept.
    pub(super) note: Option<String>,
    /// Locked, so that a second node of the same directory takes another file.
    _reserved: Option<File>,
}

/// The directory where this user's programs keep data: `$XDG_DATA_HOME/exo-mobile` or `~/.local/share/exo-mobile`.
pub fn default_data_dir() -> Option<PathBuf> {
    let set = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")))?;
    Some(data.join("exo-mobile"))
}

/// The id of the first file in this directory that nobody uses now; made, if there is none.
pub(super) fn load(directory: &Path) -> Stored {
    for place in 0..MOST_AT_ONCE {
        match reserve(directory, place) {
            Ok(Some(stored)) => return stored,
            Ok(None) => {}
            Err(error) => {
                let note = format!("the node id is not kept: {}: {error}", directory.display());
                return unkept(note);
            }
        }
    }
    unkept(format!("the node id is not kept: {MOST_AT_ONCE} nodes use {} already", directory.display()))
}

fn unkept(note: String) -> Stored {
    Stored { node_id: NodeId::from_random(entropy::wide()), note: Some(note), _reserved: None }
}

/// `None` if another process holds this place.
fn reserve(directory: &Path, place: usize) -> io::Result<Option<Stored>> {
    fs::create_dir_all(directory)?;
    let path = directory.join(match place {
        0 => "node-id".to_owned(),
        more => format!("node-id.{more}"),
    });
    let lock = files::private()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(files::with_suffix(&path, ".lock"))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(None),
        Err(fs::TryLockError::Error(error)) => return Err(error),
    }
    let (node_id, note) = match files::read(&path, LONGEST)? {
        None => (write(&path)?, None),
        Some(text) => {
            if let Ok(id) = NodeId::parse(text.trim_end()) {
                (id, None)
            } else {
                let id = write(&path)?;
                let note = format!("{} held no node id; this device has a new one: {id}", path.display());
                (id, Some(note))
            }
        }
    };
    Ok(Some(Stored { node_id, note, _reserved: Some(lock) }))
}

/// An id that nobody else has. exo remembers each until its session ends: keep it.
pub fn new_node_id() -> NodeId {
    NodeId::from_random(entropy::wide())
}

fn write(path: &Path) -> io::Result<NodeId> {
    let id = new_node_id();
    files::replace(path, &format!("{id}\n"))?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::files::tests::Directory;

    #[test]
    fn an_id_is_kept_between_runs() {
        let directory = Directory::new("kept");
        let first = load(&directory.0);
        assert_eq!(first.note, None);
        let id = first.node_id.clone();
        drop(first);
        assert_eq!(load(&directory.0).node_id, id);
    }

    #[test]
    fn two_nodes_at_once_have_two_ids_and_keep_them() {
        let directory = Directory::new("two");
        let (a, b) = (load(&directory.0), load(&directory.0));
        assert_ne!(a.node_id, b.node_id);
        let ids = (a.node_id.clone(), b.node_id.clone());
        drop((a, b));
        let (a, b) = (load(&directory.0), load(&directory.0));
        assert_eq!((a.node_id.clone(), b.node_id.clone()), ids);
    }

    #[test]
    fn a_broken_file_gives_a_new_id_and_a_note() {
        for broken in [&b""[..], b"0", b"not hex", &[0xff; 4096]] {
            let directory = Directory::new("broken");
            fs::write(directory.0.join("node-id"), broken).unwrap();
            let stored = load(&directory.0);
            assert!(stored.note.as_ref().is_some_and(|note| note.contains("new one")), "{stored:?}");
            let id = stored.node_id.clone();
            drop(stored);
            assert_eq!(load(&directory.0).node_id, id, "the new one is kept");
        }
    }

    #[test]
    fn a_directory_that_cannot_be_made_gives_an_id_and_a_note() {
        let stored = load(Path::new("/dev/null/exo"));
        assert!(stored.note.is_some_and(|note| note.contains("not kept")));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let directory = Directory::new("private");
        let _stored = load(&directory.0);
        let mode = fs::metadata(directory.0.join("node-id")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
