//! Where the node's identity is kept.

use exo_node::driver::WhoAmI;
use exo_wire::NodeId;

use crate::Result;

/// Keeps the node's identity: the Keychain, or encrypted preferences. exo remembers every identity until its session
/// ends, so a phone shall keep its own.
#[uniffi::export(foreign)]
pub trait KeyStore: Send + Sync {
    /// The identity that was kept, if there is one.
    fn load(&self) -> Result<Option<String>>;

    /// Keeps this one from now on.
    fn save(&self, identity: String) -> Result<()>;
}

/// Who this device is, by the app's own keeping. One that cannot be read is replaced; one that cannot be kept is used
/// for this run, and the note says so.
pub(crate) fn identity(keys: &dyn KeyStore) -> Result<(WhoAmI, Option<String>)> {
    let unreadable = match keys.load()?.as_deref().map(NodeId::parse) {
        Some(Ok(id)) => return Ok((WhoAmI::Given(id), None)),
        Some(Err(why)) => Some(why),
        None => None,
    };
    let id = exo_node::driver::new_node_id();
    let note = match (keys.save(id.as_str().to_owned()), unreadable) {
        (Err(error), _) => {
            Some(format!("the identity could not be kept, so this run has one of its own: {error}"))
        }
        (Ok(()), Some(why)) => {
            Some(format!("the identity that was kept could not be read and was replaced: {why}"))
        }
        (Ok(()), None) => None,
    };
    Ok((WhoAmI::Given(id), note))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{ErrorKind, ExoError};

    #[derive(Default)]
    struct Fake {
        kept: Mutex<Option<String>>,
        is_full: bool,
    }

    impl KeyStore for Fake {
        fn load(&self) -> Result<Option<String>> {
            Ok(self.kept.lock().unwrap().clone())
        }

        fn save(&self, identity: String) -> Result<()> {
            if self.is_full {
                return Err(ExoError::new(ErrorKind::Storage, "no room"));
            }
            *self.kept.lock().unwrap() = Some(identity);
            Ok(())
        }
    }

    #[test]
    fn a_device_is_the_same_after_each_start() {
        let keys = Fake::default();
        let (first, note) = identity(&keys).unwrap();
        assert_eq!(note, None);
        assert_eq!(identity(&keys).unwrap(), (first, None));
    }

    #[test]
    fn what_cannot_be_read_is_replaced_and_what_cannot_be_kept_is_said() {
        let broken = Fake { kept: Mutex::new(Some("not an id".into())), is_full: false };
        assert!(identity(&broken).unwrap().1.unwrap().contains("was replaced"));
        let full = Fake { is_full: true, ..Fake::default() };
        assert!(identity(&full).unwrap().1.unwrap().contains("no room"));
    }
}
