//! The processor: `/proc/stat` and `/proc/loadavg`.

use exo_telemetry::reading::{CpuReadings, Reading, Unit};

use super::{
    Look,
    file::File,
    parse::{lines, number, whole, words},
    tree::Tree,
};

#[derive(Debug)]
pub(super) struct Cpu {
    stat: File,
    load: File,
    before: Option<Ticks>,
}

/// What all cores did since the system started, in ticks.
#[derive(Debug, Clone, Copy)]
struct Ticks {
    idle: u64,
    all: u64,
}

impl Cpu {
    pub(super) fn find(tree: &Tree) -> Self {
        Self { stat: tree.file("proc/stat"), load: tree.file("proc/loadavg"), before: None }
    }

    pub(super) fn read(&mut self, look: &mut Look<'_>, into: &mut CpuReadings) {
        self.utilisation(look, &mut into.utilisation);
        let load = match self.load.read(look.buffer) {
            Ok(text) => words(text).next().and_then(number),
            Err(trouble) => return into.load.refuse(format_args!("{trouble}"), look.at),
        };
        match (load, Unit::Threads.range()) {
            (Some(load), Some(range)) => into.load.measure(load, &range, "", look.at),
            _ => into.load.refuse(format_args!("{} is not as expected", self.load.path()), look.at),
        }
    }

    fn utilisation(&mut self, look: &mut Look<'_>, into: &mut Reading<f64>) {
        let now = match self.stat.read(look.buffer) {
            Ok(text) => ticks(text),
            Err(trouble) => {
                self.before = None;
                return into.refuse(format_args!("{trouble}"), look.at);
            }
        };
        let before = std::mem::replace(&mut self.before, now);
        match (before, now) {
            (_, None) => into.refuse(format_args!("{} is not as expected", self.stat.path()), look.at),
            (None, Some(_)) => into.refuse(format_args!("it takes two looks to know"), look.at),
            (Some(before), Some(now)) => {
                let (idle, all) = (now.idle.checked_sub(before.idle), now.all.checked_sub(before.all));
                match (idle, all) {
                    // Ticks are 10 ms long: two looks within one tell nothing new, and what was known stays.
                    (Some(_), Some(0)) => {
                        self.before = Some(before);
                        if into.get().is_none() {
                            into.refuse(format_args!("the last look was a moment ago"), look.at);
                        }
                    }
                    (Some(idle), Some(all)) if idle <= all => {
                        *into = Reading::measured((all - idle) as f64 / all as f64, look.at);
                    }
                    _ => into.refuse(format_args!("the processor's counters went back"), look.at),
                }
            }
        }
    }
}

/// `cpu  user nice system idle iowait irq softirq steal guest guest_nice`; guests are counted under user as well, and
/// a core that waits for a disk is free to compute.
fn ticks(text: &[u8]) -> Option<Ticks> {
    let line = lines(text).next()?;
    let mut words = words(line);
    if words.next()? != b"cpu" {
        return None;
    }
    let mut all = 0_u64;
    let mut idle = 0_u64;
    let mut count = 0;
    for (place, word) in words.take(8).enumerate() {
        let ticks = whole(word)?;
        all = all.checked_add(ticks)?;
        if place == 3 || place == 4 {
            idle += ticks;
        }
        count += 1;
    }
    (count >= 4).then_some(Ticks { idle, all })
}
