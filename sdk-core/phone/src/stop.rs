//! Ctrl-C, SIGTERM and `--seconds`: one wish to end, heard by all who wait for it.

use std::time::Duration;

use tokio::{sync::watch, time};

use crate::exit;

/// The wish to end. The second Ctrl-C ends the process at once.
#[derive(Clone, Debug)]
pub(crate) struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Listens for signals, and ends by itself after so many seconds if they are given.
    pub(crate) fn listen(limit: Option<Duration>) -> Self {
        let (sender, receiver) = watch::channel(false);
        tokio::spawn(async move {
            let limit = async {
                match limit {
                    Some(limit) => time::sleep(limit).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = signalled() => {}
                () = limit => {}
            }
            sender.send_replace(true);
            signalled().await;
            std::process::exit(exit::INTERRUPTED.into());
        });
        Self(receiver)
    }

    /// A wish that somebody else will have: sending `true` wishes the end.
    pub(crate) fn by_hand() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Self(receiver))
    }

    /// Waits until the end is wished.
    pub(crate) async fn asked(&self) {
        if self.0.clone().wait_for(|asked| *asked).await.is_err() {
            // Nobody is left who could wish it.
            std::future::pending::<()>().await;
        }
    }
}

/// A number of seconds, as people write it.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "write a number of seconds, such as 30 or 2.5".to_owned())
}

#[cfg(unix)]
async fn signalled() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn signalled() {
    drop(tokio::signal::ctrl_c().await);
}
