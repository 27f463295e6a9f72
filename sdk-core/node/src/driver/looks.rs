//! Looking at the device: on a thread that may block, one look at a time, never waited for too long.

use std::{
    sync::{Arc, Mutex, TryLockError},
    time::Duration,
};

use exo_telemetry::{
    Now, Readings,
    probe::{Identity, Probe},
    protocol::DeviceType,
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
}

impl Looks {
    pub(super) fn new(probe: Box<dyn Probe>, now: Now) -> Self {
        let readings = Readings::unavailable("the probe did not tell", now.wall.into());
        Self(Arc::new(Mutex::new(Looker { probe, readings })))
    }

    /// Who the device is. One that does not say is a device without a name.
    pub(super) async fn identity(&self) -> Identity {
        self.within(|looker| looker.probe.identity()).await.unwrap_or_else(nobody)
    }

    /// One look. `None` if the probe broke, did not answer in time, or still looks.
    pub(super) async fn look(self, now: Now, groups: Groups) -> Option<Box<Readings>> {
        let look = move |looker: &mut Looker| {
            looker.probe.read(now, groups, &mut looker.readings);
            Box::new(looker.readings.clone())
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

fn nobody() -> Identity {
    let unknown = || "unknown".to_owned();
    Identity {
        name: "a device".to_owned(),
        model: unknown(),
        chip: unknown(),
        os_version: unknown(),
        os_build: unknown(),
        vendor: unknown(),
        device_type: DeviceType::Cpu,
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
            panic!("on purpose")
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
        assert_eq!(looks.identity().await.name, "a device");
        tell.send(Box::new(|| panic!("on purpose"))).unwrap();
        assert!(looks.clone().look(NOW, Groups::ALL).await.is_none());
        assert!(looks.look(NOW, Groups::ALL).await.is_some());
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
