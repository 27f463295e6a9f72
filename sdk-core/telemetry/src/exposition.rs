//! What all devices told, as text for Prometheus.
//!
//! Base units, in the names. A reading that cannot be had has no sample: there is no 0 that could be mistaken for a
//! measurement. Where a value comes from is the label `source`. Text of others is escaped, and the number of devices
//! is bounded: what was left out is counted.

use std::fmt::Write as _;

use crate::{
    Now,
    aggregator::{Aggregator, Device, Presence},
    protocol::DeviceId,
    reading::{Figure, Quantity, Source},
};

/// The content type of the text.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// The most devices of one exposition: about 3 MB of text.
pub const MOST_DEVICES: usize = 1024;

/// A device, as it is listed.
type Row<'a> = (&'a DeviceId, &'a Device);

/// The text of `/metrics`.
pub fn exposition(aggregator: &Aggregator, now: Now) -> String {
    let rows: Vec<Row<'_>> = aggregator.devices().take(MOST_DEVICES).collect();
    let mut page = Page(String::with_capacity(4096 + rows.len() * 2048));
    cluster(&mut page, aggregator, rows.len());
    devices(&mut page, &rows, now);
    for quantity in Quantity::ALL {
        readings(&mut page, &rows, quantity);
    }
    page.0
}

fn cluster(page: &mut Page, aggregator: &Aggregator, listed: usize) {
    page.family("exo_devices", "gauge", "Devices that told of themselves, by whether they are still there.");
    for presence in Presence::ALL {
        let count = aggregator.devices().filter(|(_, device)| device.presence() == presence).count();
        page.sample("exo_devices", &[("presence", presence.name())], count as f64);
    }
    page.family(
        "exo_devices_not_listed",
        "gauge",
        "Devices that are left out below, since there are too many.",
    );
    page.sample("exo_devices_not_listed", &[], (aggregator.devices().len() - listed) as f64);
    page.family("exo_telemetry_messages_refused_total", "counter", "Messages that could not be read.");
    page.sample("exo_telemetry_messages_refused_total", &[], aggregator.refused() as f64);
}

fn devices(page: &mut Page, rows: &[Row<'_>], now: Now) {
    page.family("exo_device_info", "gauge", "Who a device is; always 1.");
    for (id, device) in rows {
        if let Some(registration) = device.registration() {
            let labels = [
                ("device", id.as_str()),
                ("name", &registration.name),
                ("vendor", &registration.vendor),
                ("type", registration.device_type.name()),
            ];
            page.sample("exo_device_info", &labels, 1.0);
        }
    }
    page.each(
        rows,
        "exo_device_up",
        "gauge",
        "1 while a device keeps its promise to speak, otherwise 0.",
        |device| Some(f64::from(u8::from(device.presence() == Presence::Present))),
    );
    page.each(rows, "exo_device_silence_seconds", "gauge", "Time since a device was heard.", |device| {
        Some(now.mono.since(device.heard()).as_secs_f64())
    });
    page.each(rows, "exo_device_uptime_seconds", "gauge", "How long a device's telemetry runs.", |device| {
        device.uptime().map(|uptime| uptime.as_secs_f64())
    });
    page.each(
        rows,
        "exo_device_clock_behind_seconds",
        "gauge",
        "How far a device's clock is behind ours.",
        |device| device.behind_ms().map(|millis| millis as f64 / 1000.0),
    );
    page.each(
        rows,
        "exo_device_messages_total",
        "counter",
        "Messages of a device that were taken.",
        |device| Some(device.traffic().taken as f64),
    );
    // A message that comes late is lost no more, so this may go down.
    page.each(
        rows,
        "exo_device_messages_lost",
        "gauge",
        "Messages of a device that have not come.",
        |device| Some(device.traffic().lost as f64),
    );
    page.each(
        rows,
        "exo_device_messages_late_total",
        "counter",
        "Messages that came after newer ones.",
        |device| Some(device.traffic().late as f64),
    );
    page.each(rows, "exo_device_messages_repeated_total", "counter", "Messages that came again.", |device| {
        Some(device.traffic().repeated as f64)
    });
}

fn readings(page: &mut Page, rows: &[Row<'_>], quantity: Quantity) {
    let name = format!("exo_device_{}", quantity.name());
    page.family(&name, "gauge", help(quantity));
    for (id, device) in rows {
        let reading = device.readings().get(quantity);
        let Some(figure) = reading.get() else { continue };
        let source = if reading.source() == Source::Estimated { "estimated" } else { "measured" };
        let labels = [("device", id.as_str()), ("source", source)];
        match (figure, figure.number()) {
            (_, Some(number)) => page.sample(&name, &labels, number),
            (Figure::Network(kind), None) => {
                page.sample(&name, &[labels[0], labels[1], ("kind", kind.name())], 1.0);
            }
            _ => {}
        }
    }
}

/// What a quantity is, for people.
pub const fn help(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::MemoryTotal => "Memory of the device.",
        Quantity::MemoryAvailable => "Memory that could be used now without swapping.",
        Quantity::MemoryLimit => "The most memory that the app may use.",
        Quantity::MemoryPressure => {
            "How hard the system looks for memory: 0 not, 1 some, 2 apps are being ended."
        }
        Quantity::GpuMemoryTotal => "Memory that the GPU has or shares.",
        Quantity::GpuMemoryUsed => "Memory of the GPU that is in use.",
        Quantity::GpuMemoryBudget => "Memory of the GPU that the driver would let us use.",
        Quantity::ComputeUtilisation => "The part of the time in which the GPU works.",
        Quantity::CpuUtilisation => "The part of the time in which the cores of the processor work.",
        Quantity::CpuLoad => "Threads that want to run, averaged over a minute.",
        Quantity::Power => "What the whole device draws.",
        Quantity::Temperature => "The hottest part that tells.",
        Quantity::ThermalStatus => {
            "How the system calls the heat: 0 none, 1 light, 2 moderate, 3 severe, 4 critical, 5 emergency, 6 shutdown."
        }
        Quantity::ThermalHeadroom => "How near severe throttling is: it begins at 1.",
        Quantity::BatteryLevel => "How full the battery is.",
        Quantity::BatteryCharging => "1 while the device is charged or runs from the mains.",
        Quantity::PowerSave => "1 while the owner asks the device to save power.",
        Quantity::NetworkKind => "What carries the network; always 1.",
        Quantity::NetworkMetered => "1 while bytes cost money.",
        Quantity::DiskTotal => "The disk that holds models.",
        Quantity::DiskAvailable => "Free on the disk that holds models.",
    }
}

struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn each(
        &mut self,
        rows: &[Row<'_>],
        name: &str,
        kind: &str,
        help: &str,
        value: impl Fn(&Device) -> Option<f64>,
    ) {
        self.family(name, kind, help);
        for (id, device) in rows {
            if let Some(value) = value(device) {
                self.sample(name, &[("device", id.as_str())], value);
            }
        }
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        if !value.is_finite() {
            return;
        }
        self.0.push_str(name);
        for (place, (label, text)) in labels.iter().enumerate() {
            self.0.push(if place == 0 { '{' } else { ',' });
            self.0.push_str(label);
            self.0.push_str("=\"");
            self.escaped(text);
            self.0.push('"');
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    fn escaped(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\\' => self.0.push_str("\\\\"),
                '"' => self.0.push_str("\\\""),
                '\n' => self.0.push_str("\\n"),
                other => self.0.push(other),
            }
        }
    }
}
