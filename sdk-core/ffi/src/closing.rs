//! What can be closed: once for all, from any thread, and twice.

use std::sync::{Arc, PoisonError, RwLock};

use crate::{ExoError, Result};

/// Something until it is closed.
#[derive(Debug)]
pub(crate) struct Open<T> {
    what: &'static str,
    inner: RwLock<Option<Arc<T>>>,
}

impl<T> Open<T> {
    /// `what` is its name in the error that comes after closing.
    pub(crate) fn new(what: &'static str, inner: T) -> Self {
        Self { what, inner: RwLock::new(Some(Arc::new(inner))) }
    }

    /// The thing itself. Who holds it while it is closed finishes with it.
    pub(crate) fn get(&self) -> Result<Arc<T>> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.clone().ok_or_else(|| ExoError::closed(self.what))
    }

    /// Closes it. The first who does gets the thing.
    pub(crate) fn close(&self) -> Option<Arc<T>> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn what_was_closed_says_so_and_closes_again_without_complaint() {
        let open = Open::new("door", 7);
        assert_eq!(*open.get().unwrap(), 7);
        assert!(open.close().is_some());
        assert!(open.close().is_none());
        let error = open.get().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Closed);
        assert!(error.reason().contains("door"));
    }
}
