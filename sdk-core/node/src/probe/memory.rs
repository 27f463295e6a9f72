//! Memory: `/proc/meminfo`, the limits of our control group, and how much the system waits for memory.

use exo_telemetry::{
    Reading,
    reading::{MemoryReadings, Pressure, Unit},
};

use super::{
    Look,
    file::File,
    limits::Limits,
    parse::{field, lines, number, whole, words},
    tree::Tree,
};

/// Some task waited for memory in this part of the last 10 s.
const SOME_WAIT: f64 = 10.0;
/// All tasks waited at once in this part of the last 10 s.
const ALL_WAIT: f64 = 10.0;

#[derive(Debug)]
pub(super) struct Memory {
    meminfo: File,
    pressure: File,
    limits: Limits,
}

impl Memory {
    pub(super) fn find(tree: &Tree) -> Self {
        Self {
            meminfo: tree.file("proc/meminfo"),
            pressure: tree.file("proc/pressure/memory"),
            limits: Limits::find(tree),
        }
    }

    pub(super) fn read(&mut self, look: &mut Look<'_>, into: &mut MemoryReadings) {
        let at = look.at;
        match self.meminfo.read(look.buffer) {
            Ok(text) => {
                for (key, reading) in [("MemTotal:", &mut into.total), ("MemAvailable:", &mut into.available)]
                {
                    match field(text, key).and_then(kilobytes) {
                        Some(bytes) => reading.measure(bytes, &Unit::BYTES, " bytes", at),
                        None => reading.refuse(format_args!("no {key} in {}", self.meminfo.path()), at),
                    }
                }
            }
            Err(trouble) => {
                into.total.refuse(format_args!("{trouble}"), at);
                into.available.refuse(format_args!("{trouble}"), at);
            }
        }
        if into.available.get() > into.total.get() {
            into.available.refuse(format_args!("more memory is available than there is"), at);
        }
        self.limits.read(look, into);
        self.pressure(look, &mut into.pressure);
    }

    fn pressure(&self, look: &mut Look<'_>, into: &mut Reading<Pressure>) {
        let text = match self.pressure.read(look.buffer) {
            Ok(text) => text,
            Err(trouble) => return into.refuse(format_args!("{trouble}"), look.at),
        };
        let (Some(some), Some(all)) = (waits(text, b"some"), waits(text, b"full")) else {
            return into.refuse(format_args!("{} is not as expected", self.pressure.path()), look.at);
        };
        let pressure = match () {
            () if all >= ALL_WAIT => Pressure::Critical,
            () if some >= SOME_WAIT => Pressure::Some,
            () => Pressure::None,
        };
        *into = Reading::estimated(pressure, "how long tasks waited for memory in the last 10 s", look.at);
    }
}

/// `8000000 kB`.
fn kilobytes(text: &[u8]) -> Option<u64> {
    whole(text.strip_suffix(b"kB")?)?.checked_mul(1024)
}

/// `some avg10=0.12 avg60=...`: per cent of the last 10 s.
fn waits(text: &[u8], who: &[u8]) -> Option<f64> {
    let line = lines(text).find(|line| words(line).next() == Some(who))?;
    let percent = words(line).find_map(|word| number(word.strip_prefix(b"avg10=")?))?;
    (0.0..=100.0).contains(&percent).then_some(percent)
}
