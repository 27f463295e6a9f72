//! Streams that the app pulls: the newest value, and no history.

use std::{fmt, sync::Arc};

use exo_node::{
    discovery::ProviderStatus,
    driver::{Canceller, Pulled},
    member::{ClusterView, MemberState},
    vitals,
};
use exo_telemetry::aggregator::ClusterState;
use tokio::sync::Mutex;

use super::{Cluster, NodeState, SearchStatus};
use crate::{
    Result,
    telemetry::{ClusterTelemetry, Condition},
};

/// Nothing: the app is not told of this one.
type Convert<F, T> = dyn Fn(&F) -> Option<T> + Send + Sync;

/// The core's stream of `F`, as the app's of `T`.
struct Stream<F, T> {
    values: Mutex<Pulled<F>>,
    canceller: Canceller,
    convert: Box<Convert<F, T>>,
}

impl<F: Clone + Send + Sync, T> Stream<F, T> {
    async fn next(&self) -> Option<T> {
        loop {
            let value = self.values.lock().await.next().await?;
            if let Some(value) = (self.convert)(&value) {
                return Some(value);
            }
        }
    }
}

/// UniFFI exports no generics, so each stream is an object of its own.
macro_rules! stream {
    ($(#[$doc:meta])* $name:ident: $from:ty => $to:ty) => {
        $(#[$doc])*
        #[derive(uniffi::Object)]
        pub struct $name(Stream<$from, $to>);

        impl $name {
            pub(super) fn of(
                values: Pulled<$from>,
                convert: impl Fn(&$from) -> Option<$to> + Send + Sync + 'static,
            ) -> Arc<Self> {
                let canceller = values.canceller();
                Arc::new(Self(Stream { values: Mutex::new(values), canceller, convert: Box::new(convert) }))
            }
        }

        #[uniffi::export]
        impl $name {
            /// The value now, then each newer one; none when the node is over or [`cancel`](Self::cancel) was called.
            pub async fn next(&self) -> Result<Option<$to>> {
                Ok(self.0.next().await)
            }

            /// Ends the stream; who waits in [`next`](Self::next) is woken.
            pub fn cancel(&self) -> Result<()> {
                self.0.canceller.cancel();
                Ok(())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

stream!(
    /// Where the membership stands.
    StateStream: MemberState => NodeState
);
stream!(
    /// The cluster.
    ClusterStream: Arc<ClusterView> => Cluster
);
stream!(
    /// What each way of searching did.
    SearchStream: Arc<[ProviderStatus]> => Vec<SearchStatus>
);
stream!(
    /// What did not work.
    TroubleStream: Option<Arc<str>> => String
);
stream!(
    /// How this device is.
    ConditionStream: Option<Arc<vitals::Condition>> => Condition
);
stream!(
    /// How all members of this SDK are.
    TelemetryStream: Arc<ClusterState> => ClusterTelemetry
);
