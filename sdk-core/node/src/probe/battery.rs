//! The battery and what charges it: `/sys/class/power_supply`.

use std::path::PathBuf;

use exo_telemetry::reading::{BatteryReadings, Reading};

use super::{Look, file::File, parse::trimmed, tree::Tree};

#[derive(Debug)]
pub(super) struct Battery {
    batteries: Vec<(File, File)>,
    chargers: Vec<File>,
    profile: File,
}

/// The batteries that drive the device; those of mice and headsets do not.
pub(super) fn batteries(tree: &Tree) -> Vec<PathBuf> {
    supplies(tree, |kind| kind == "Battery")
}

fn supplies(tree: &Tree, wanted: fn(&str) -> bool) -> Vec<PathBuf> {
    let mut supplies = tree.entries("sys/class/power_supply");
    supplies.retain(|supply| {
        tree.line(supply.join("type")).is_some_and(|kind| wanted(&kind))
            && tree.line(supply.join("scope")).as_deref() != Some("Device")
    });
    supplies
}

impl Battery {
    pub(super) fn find(tree: &Tree) -> Self {
        let file = |supply: &PathBuf, name: &str| tree.file(supply.join(name));
        let is_charger = |kind: &str| kind == "Mains" || kind.starts_with("USB") || kind == "Wireless";
        Self {
            batteries: batteries(tree).iter().map(|b| (file(b, "capacity"), file(b, "status"))).collect(),
            chargers: supplies(tree, is_charger)
                .iter()
                .filter_map(|c| tree.readable(c.join("online")))
                .collect(),
            profile: tree.file("sys/firmware/acpi/platform_profile"),
        }
    }

    pub(super) fn read(&self, look: &mut Look<'_>, into: &mut BatteryReadings) {
        self.level(look, &mut into.level);
        self.charging(look, &mut into.charging);
        match self.profile.read(look.buffer) {
            Ok(profile) => into.power_save = Reading::measured(trimmed(profile) == b"low-power", look.at),
            Err(trouble) => into.power_save.refuse(format_args!("{trouble}"), look.at),
        }
    }

    fn level(&self, look: &mut Look<'_>, into: &mut Reading<f64>) {
        let (mut sum, mut count) = (0.0, 0);
        for (capacity, _) in &self.batteries {
            match capacity.number(look.buffer) {
                Some(percent) if (0.0..=100.0).contains(&percent) => {
                    sum += percent / 100.0;
                    count += 1;
                }
                Some(percent) => {
                    return into.refuse(format_args!("{} says {percent} %", capacity.path()), look.at);
                }
                None => return into.refuse(format_args!("{} holds no number", capacity.path()), look.at),
            }
        }
        match count {
            0 => into.refuse(format_args!("the device has no battery"), look.at),
            1 => *into = Reading::measured(sum, look.at),
            many => *into = Reading::estimated(sum / f64::from(many), "the mean of all batteries", look.at),
        }
    }

    fn charging(&self, look: &mut Look<'_>, into: &mut Reading<bool>) {
        if self.chargers.iter().any(|online| online.whole(look.buffer) == Some(1)) {
            *into = Reading::measured(true, look.at);
            return;
        }
        if self.batteries.is_empty() {
            *into = Reading::estimated(true, "a device without a battery runs from the mains", look.at);
            return;
        }
        let mut discharges = false;
        for (_, status) in &self.batteries {
            match status.read(look.buffer).map(trimmed) {
                // "Not charging" is plugged in and full enough.
                Ok(b"Charging" | b"Full" | b"Not charging") => {
                    *into = Reading::measured(true, look.at);
                    return;
                }
                Ok(b"Discharging") => discharges = true,
                _ => {}
            }
        }
        if discharges {
            *into = Reading::measured(false, look.at);
        } else {
            into.refuse(format_args!("the battery does not say whether it is charged"), look.at);
        }
    }
}
