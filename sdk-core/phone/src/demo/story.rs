//! What happens in the demonstration, and when.

use std::{
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant},
};

use tokio::{sync::mpsc, time};

use super::{
    phone::{Loopback, Phone},
    question,
};
use crate::{
    profiles::Profile,
    stop::Stop,
    watch::{Ended, Happening, What},
};

/// Between the acts, so that people can see what came of the last one.
const PAUSE: Duration = Duration::from_secs(4);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Tells the story, waits to be asked to stop, and lets all phones leave: the host last, since the others' goodbyes
/// go through it.
pub(super) async fn run(began: Instant, stop: Stop, tell: mpsc::Sender<Happening>) -> Result<Ended, String> {
    let network = Loopback::for_phones(3)?;
    let random = RandomState::new();
    let id = |number: u64| u128::from(random.hash_one(number)) << 64 | u128::from(random.hash_one(!number));
    let mut phones = [
        Phone::new("pixel", 0, Profile::Pixel9, id(0)),
        Phone::new("iphone", 1, Profile::Iphone16, id(1)),
        Phone::new("fairphone", 2, Profile::Fairphone6, id(2)),
    ];
    let story = acts(&mut phones, &network, began, &tell);
    tokio::select! {
        told = story => told?,
        () = stop.asked() => {}
    }
    stop.asked().await;
    note(&tell, began, "the phones leave, the host last".to_owned());
    phones.sort_by_key(Phone::is_host);
    let mut ended = Ended::Left;
    for phone in &mut phones {
        ended = worse(ended, phone.leave().await);
    }
    Ok(ended)
}

async fn acts(
    phones: &mut [Phone; 3],
    network: &Loopback,
    began: Instant,
    tell: &mpsc::Sender<Happening>,
) -> Result<(), String> {
    let [pixel, iphone, late] = phones;
    note(tell, began, "two phones look for an exo, find none, and form a cluster".to_owned());
    pixel.start(network, began, tell)?;
    iphone.start(network, began, tell)?;
    joined(&[pixel, iphone]).await;
    time::sleep(PAUSE).await;
    note(tell, began, format!("{} joins late", late.name));
    late.start(network, began, tell)?;
    joined(&[late]).await;
    time::sleep(PAUSE).await;
    note(tell, began, format!("{} is killed, without a goodbye", late.name));
    late.kill().await;
    time::sleep(PAUSE).await;
    note(tell, began, format!("{} comes back with the same id", late.name));
    late.start(network, began, tell)?;
    joined(&[late]).await;
    question::ask(pixel.name, began, tell).await?;
    note(tell, began, "that is all; Ctrl-C lets the phones leave".to_owned());
    Ok(())
}

async fn joined(phones: &[&mut Phone]) {
    while !phones.iter().all(|phone| phone.is_joined()) {
        time::sleep(LOOK_EVERY).await;
    }
}

fn note(tell: &mpsc::Sender<Happening>, began: Instant, text: String) {
    let _ = tell.try_send(Happening { at: began.elapsed(), phone: None, what: What::Note(text) });
}

fn worse(a: Ended, b: Ended) -> Ended {
    match (a, b) {
        (Ended::Failed, _) | (_, Ended::Failed) => Ended::Failed,
        (Ended::Unheard, _) | (_, Ended::Unheard) => Ended::Unheard,
        (Ended::Left, Ended::Left) => Ended::Left,
    }
}
