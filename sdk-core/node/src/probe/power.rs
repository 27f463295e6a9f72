//! What the whole device draws: a meter of the machine, or its battery while it discharges.

use exo_telemetry::reading::{Reading, Unit};

use super::{Look, battery, file::File, parse::trimmed, tree::Tree};

#[derive(Debug)]
pub(super) struct Power {
    meter: Option<File>,
    battery: Option<Discharge>,
}

/// What a battery tells about its discharge.
#[derive(Debug)]
struct Discharge {
    status: File,
    /// Microwatts, where it counts them.
    power: Option<File>,
    /// Microamperes and microvolts.
    flow: Option<(File, File)>,
}

impl Power {
    pub(super) fn find(tree: &Tree) -> Self {
        let meter = tree.entries("sys/class/hwmon").into_iter().find_map(|monitor| {
            let is_meter = tree.line(monitor.join("name")).as_deref() == Some("power_meter");
            let file = |name: &str| tree.readable(monitor.join(name));
            is_meter.then(|| file("power1_average").or_else(|| file("power1_input"))).flatten()
        });
        let battery = battery::batteries(tree).into_iter().next().map(|battery| Discharge {
            status: tree.file(battery.join("status")),
            power: tree.readable(battery.join("power_now")),
            flow: tree.readable(battery.join("current_now")).zip(tree.readable(battery.join("voltage_now"))),
        });
        Self { meter, battery }
    }

    pub(super) fn read(&self, look: &mut Look<'_>, into: &mut Reading<f64>) {
        let range = Unit::Watts.range().unwrap_or(0.0..=0.0);
        if let Some(meter) = &self.meter {
            return match meter.number(look.buffer) {
                Some(microwatts) => into.measure(microwatts / 1e6, &range, " W", look.at),
                None => into.refuse(format_args!("{} holds no number", meter.path()), look.at),
            };
        }
        let Some(battery) = &self.battery else {
            return into.refuse(format_args!("the device has neither a power meter nor a battery"), look.at);
        };
        match battery.status.read(look.buffer) {
            Ok(status) if trimmed(status) == b"Discharging" => battery.read(look, into),
            Ok(_) => into.refuse(format_args!("the mains give what no battery counts"), look.at),
            Err(trouble) => into.refuse(format_args!("{trouble}"), look.at),
        }
    }
}

impl Discharge {
    /// Drivers disagree on the sign of what flows out, so it is left away.
    fn read(&self, look: &mut Look<'_>, into: &mut Reading<f64>) {
        let range = Unit::Watts.range().unwrap_or(0.0..=0.0);
        let power = self
            .power
            .as_ref()
            .and_then(|power| power.number(look.buffer))
            .map(|microwatts| microwatts / 1e6);
        let mut flow = || {
            let (current, voltage) = self.flow.as_ref()?;
            Some(current.number(look.buffer)? * voltage.number(look.buffer)? / 1e12)
        };
        let (watts, measured) = match power {
            Some(watts) => (Some(watts.abs()), true),
            None => (flow().map(f64::abs), false),
        };
        match watts {
            // A battery that discharges and gives nothing does not count.
            None | Some(0.0) => {
                into.refuse(format_args!("the battery does not count what it gives"), look.at);
            }
            Some(watts) if measured || !range.contains(&watts) => into.measure(watts, &range, " W", look.at),
            Some(watts) => *into = Reading::estimated(watts, "current times voltage of the battery", look.at),
        }
    }
}
