//! Heat: the thermal zones and monitors of what computes.
//!
//! Batteries, disks and radios have sensors too; they are not what throttles us. Some machines have none for the
//! processor but one that the firmware describes (`acpitz`); it is taken when there is nothing better.

use std::path::Path;

use exo_telemetry::reading::{Reading, ThermalReadings, Unit};

use super::{Look, file::File, parse, tree::Tree};

/// Reading a sensor may wake a core or a bus: this many are enough.
const MOST_SENSORS: usize = 16;
/// Zones of processors, GPUs and systems on a chip, by how their types begin.
const ZONES: [&str; 12] =
    ["x86_pkg_temp", "cpu", "gpu", "soc", "ap-", "ap_", "big", "mid", "little", "lit", "core", "exynos"];
/// Monitors of the same, by their names.
const MONITORS: [&str; 12] = [
    "coretemp",
    "k10temp",
    "zenpower",
    "cpu_thermal",
    "soc_thermal",
    "gpu_thermal",
    "amdgpu",
    "i915",
    "xe",
    "nouveau",
    "radeon",
    "scpi_sensors",
];
/// Of the sensors of one monitor, those that stand for all, where there are such.
const STANDING_FOR_ALL: [&str; 5] = ["package id", "tctl", "tdie", "edge", "pkg"];

#[derive(Debug)]
pub(super) struct Thermal(Vec<File>);

impl Thermal {
    pub(super) fn find(tree: &Tree) -> Self {
        let mut sensors = zones(tree, |kind| ZONES.iter().any(|name| kind.starts_with(name)));
        sensors.extend(monitors(tree));
        if sensors.is_empty() {
            sensors = zones(tree, |kind| kind == "acpitz");
        }
        sensors.truncate(MOST_SENSORS);
        Self(sensors)
    }

    pub(super) fn read(&self, look: &mut Look<'_>, into: &mut ThermalReadings) {
        self.temperature(look, &mut into.temperature);
        into.status.refuse(format_args!("Linux tells degrees, not a status"), look.at);
        into.headroom.refuse(format_args!("Linux tells degrees, not headroom"), look.at);
    }

    fn temperature(&self, look: &mut Look<'_>, into: &mut Reading<f64>) {
        let range = Unit::Celsius.range().unwrap_or(0.0..=0.0);
        let (mut hottest, mut absurd) = (None::<f64>, None);
        for sensor in &self.0 {
            let Some(raw) = sensor.number(look.buffer) else { continue };
            let degrees = raw / 1000.0;
            if is_a_sign_of_trouble(raw) || !range.contains(&degrees) {
                absurd = Some((sensor, raw));
            } else {
                hottest = Some(hottest.map_or(degrees, |other| other.max(degrees)));
            }
        }
        match (hottest, absurd, self.0.first()) {
            (Some(degrees), ..) => *into = Reading::measured(degrees, look.at),
            (None, Some((sensor, raw)), _) => {
                into.refuse(format_args!("{} says {raw}, which no sensor means", sensor.path()), look.at);
            }
            (None, None, None) => into.refuse(format_args!("no sensor of what computes is there"), look.at),
            (None, None, Some(sensor)) => match sensor.read(look.buffer) {
                Ok(text) if parse::number(text).is_none() => {
                    into.refuse(format_args!("{} holds no number", sensor.path()), look.at);
                }
                Ok(_) => into.refuse(format_args!("the sensors did not answer"), look.at),
                Err(trouble) => into.refuse(format_args!("{trouble}"), look.at),
            },
        }
    }
}

/// Registers of all ones, and absolute zero in degrees where thousandths are due.
fn is_a_sign_of_trouble(raw: f64) -> bool {
    [65535.0, -273.0, -274.0].contains(&raw)
}

fn zones(tree: &Tree, wanted: impl Fn(&str) -> bool) -> Vec<File> {
    let is_wanted =
        |zone: &Path| tree.line(zone.join("type")).is_some_and(|kind| wanted(&kind.to_lowercase()));
    let zones = tree.entries("sys/class/thermal").into_iter();
    zones.filter(|zone| is_wanted(zone)).map(|zone| tree.file(zone.join("temp"))).collect()
}

fn monitors(tree: &Tree) -> Vec<File> {
    let mut sensors = Vec::new();
    for monitor in tree.entries("sys/class/hwmon") {
        let name = tree.line(monitor.join("name")).unwrap_or_default();
        if !MONITORS.contains(&name.as_str()) {
            continue;
        }
        let inputs = tree.entries(&monitor).into_iter().filter_map(|path| {
            let sensor = path.file_name()?.to_str()?.strip_suffix("_input")?.to_owned();
            let label = tree.line(monitor.join(format!("{sensor}_label"))).unwrap_or_default().to_lowercase();
            sensor.starts_with("temp").then_some((path, label))
        });
        let (chief, others): (Vec<_>, Vec<_>) =
            inputs.partition(|(_, label)| STANDING_FOR_ALL.iter().any(|name| label.starts_with(name)));
        let chosen = if chief.is_empty() { others } else { chief };
        sensors.extend(chosen.into_iter().map(|(path, _)| tree.file(path)));
    }
    sensors
}
