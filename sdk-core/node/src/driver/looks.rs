//! Looking at the device: on a thread that may block, one look at a time, never waited for too long.
//!
//! Who the device is comes with the first look that succeeds, so that an app whose probe is slow joins all the same.

use std::{
    sync::{Arc, Mutex, TryLockError},
    time::Duration,
};

use exo_telemetry::{
    Now, Readings,
    probe::{Identity, Probe},
    reading::Groups,
};
use tokio::{task, time};

/// A probe that takes longer is left behind: its readings come too late to be true.
const WITHIN: Duration = Duration::from_secs(3);

/// The probe and what it saw. A probe is the app's code: it may hang or panic, and costs us a look then.
#[derive(Clone)]
pub(super) struct Looks(Arc<Mutex<Looker>>);

struct Looker {
    probe: Box<dyn Probe>,
    readings: Readings,
    is_known: bool,
}

/// What one look brought.
#[derive(Debug)]
pub(super) struct Look {
    /// Who the device is, the first time.
    pub(super) identity: Option<Identity>,
    /// The groups that were looked at.
    pub(super) groups: Groups,
    pub(super) readings: Readings,
}

impl Looks {
    pub(super) fn new(probe: Box<dyn Probe>, now: Now) -> Self {
        let readings = Readings::unavailable("the probe did not tell", now.wall.into());
        Self(Arc::new(Mutex::new(Looker { probe, readings, is_known: false })))
    }

    /// One look. `None` if the probe broke, did not answer in time, or still looks.
    pub(super) async fn look(self, now: Now, groups: Groups) -> Option<Box<Look>> {
        let look = move |looker: &mut Looker| {
            let identity = (!looker.is_known).then(|| looker.probe.identity());
            looker.probe.read(now, groups, &mut looker.readings);
            looker.is_known = true;
            Box::new(Look { identity, groups, readings: looker.readings.clone() })
        };
        self.within(look).await
    }

    async fn within<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Looker) -> T + Send + 'static,
    ) -> Option<T> {
        let looker = self.0.clone();
        let working = task::spawn_blocking(move || match looker.try_lock() {
            Ok(mut looker) => Some(work(&mut looker)),
            // It broke off once; that is no reason never to ask again.
            Err(TryLockError::Poisoned(broken)) => {
                looker.clear_poison();
                Some(work(&mut broken.into_inner()))
            }
            Err(TryLockError::WouldBlock) => None,
        });
        time::timeout(WITHIN, working).await.ok()?.ok()?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use exo_telemetry::now::Moment;

    use super::*;

    const NOW: Now = Now { mono: Moment::after_start(Duration::ZERO), wall: Duration::ZERO };

    /// Does what it is told, one thing a look.
    struct Told(mpsc::Receiver<Box<dyn FnOnce() + Send>>);

    impl Probe for Told {
        fn identity(&mut self) -> Identity {
            Identity::unknown()
        }

        fn read(&mut self, _: Now, _: Groups, _: &mut Readings) {
            if let Ok(act) = self.0.try_recv() {
                act();
            }
        }
    }

    fn told() -> (mpsc::Sender<Box<dyn FnOnce() + Send>>, Looks) {
        let (tell, told) = mpsc::channel();
        (tell, Looks::new(Box::new(Told(told)), NOW))
    }

    #[tokio::test]
    async fn a_probe_that_panics_costs_one_look() {
        let (tell, looks) = told();
        tell.send(Box::new(|| panic!("on purpose"))).unwrap();
        assert!(looks.clone().look(NOW, Groups::ALL).await.is_none());
        assert!(looks.look(NOW, Groups::ALL).await.is_some());
    }

    #[tokio::test]
    async fn who_the_device_is_comes_once() {
        let (_tell, looks) = told();
        let mut identities = Vec::new();
        for _ in 0..2 {
            identities.push(looks.clone().look(NOW, Groups::ALL).await.unwrap().identity.is_some());
        }
        assert_eq!(identities, [true, false]);
    }

    #[tokio::test]
    async fn a_probe_that_hangs_is_not_asked_again_until_it_is_back() {
        let (tell, looks) = told();
        let (free, freed) = mpsc::channel::<()>();
        let (began, begun) = mpsc::channel();
        let hang = move || {
            began.send(()).unwrap();
            let _ = freed.recv();
        };
        tell.send(Box::new(hang)).unwrap();
        let hanging = tokio::spawn(looks.clone().look(NOW, Groups::ALL));
        task::spawn_blocking(move || begun.recv()).await.unwrap().unwrap();
        assert!(looks.clone().look(NOW, Groups::ALL).await.is_none(), "it would have waited");
        drop(free);
        assert!(hanging.await.unwrap().is_some());
        assert!(looks.look(NOW, Groups::ALL).await.is_some());
    }
}
