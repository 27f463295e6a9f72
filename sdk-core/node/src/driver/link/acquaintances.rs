//! The routers that the linked one knows, asked of its admin space once.
//!
//! exo's admin space is readable by every client and this reads one entry a router; nothing on exo's topics is
//! touched. A router without one answers nothing.

use std::time::Duration;

use tokio::sync::mpsc;
use zenoh::{Session, query::Reply};

use crate::member::Acquaintance;

/// More routers than this are not listened to.
const ROUTERS: usize = 16;
const LARGEST_ANSWER: usize = 256 << 10;
const WITHIN: Duration = Duration::from_secs(2);

/// Asks. The answers come when they come; none is waited for.
pub(super) async fn ask(session: &Session) -> zenoh::Result<mpsc::Receiver<Acquaintance>> {
    let (tell, told) = mpsc::channel(ROUTERS);
    let answered = move |reply: Reply| {
        let Ok(sample) = reply.result() else { return };
        if sample.payload().len() <= LARGEST_ANSWER
            && let Some(acquaintance) = Acquaintance::parse(&sample.payload().to_bytes())
        {
            let _ = tell.try_send(acquaintance);
        }
    };
    session.get(Acquaintance::KEY).timeout(WITHIN).callback(answered).await?;
    Ok(told)
}
