//! What was seen, for people.

use exo_telemetry::{
    Reading,
    reading::{Figure, Quantity, Unit},
};

use super::{
    chart::chart,
    sight::{Forecast, Sight},
};
use crate::{
    amounts,
    terminal::{Palette, Role},
};

/// All of it: who the device is, every reading with its provenance, and the heat as a chart.
pub(super) fn render(sight: &Sight, palette: Palette) -> String {
    let identity = &sight.identity;
    let mut lines = vec![
        format!(
            "{}  {}, {}, {}",
            palette.paint(Role::Heading, &identity.name),
            identity.model,
            identity.chip,
            identity.os_version
        ),
        String::new(),
    ];
    for quantity in Quantity::ALL {
        lines.push(line(quantity, &sight.readings.get(quantity), palette));
    }
    lines.push(String::new());
    if let Some(forecast) = &sight.forecast {
        lines.push(palette.paint(Role::Heading, &heat(forecast)));
        lines.extend(chart(&sight.past, forecast, palette));
    } else {
        let words = "No forecast: this device tells neither degrees nor headroom nor a status.";
        lines.push(palette.paint(Role::Notice, words));
    }
    lines.join("\n") + "\n"
}

fn line(quantity: Quantity, reading: &Reading<Figure>, palette: Palette) -> String {
    let value = reading.value().map_or_else(|| "-".to_owned(), |figure| words(*figure, quantity.unit()));
    let (role, provenance) = match reading {
        Reading::Measured { .. } => (Role::Good, "measured".to_owned()),
        Reading::Estimated { how, .. } => (Role::Notice, format!("estimated: {how}")),
        Reading::Unavailable { why, .. } => (Role::Quiet, format!("unavailable: {why}")),
    };
    let label = palette.paint(Role::Quiet, &format!("{:<22}", label(quantity)));
    format!("  {label} {value:>12}   {}", palette.paint(role, &provenance))
}

fn heat(forecast: &Forecast) -> String {
    let Forecast { now, suffix, .. } = forecast;
    match forecast.points.last() {
        Some(band) => format!(
            "Heat: {now:.1}{suffix} now, {:.1} in {:.0} s if it goes on so (four times in five {:.1} to {:.1})",
            band.mean, band.after_s, band.low, band.high
        ),
        None => format!("Heat: {now:.1}{suffix} now; the forecast begins after a few readings"),
    }
}

fn words(figure: Figure, unit: Unit) -> String {
    match (figure, unit) {
        (Figure::Bytes(bytes), _) => amounts::bytes(bytes),
        (Figure::Number(share), Unit::Share) => format!("{:.0} %", share * 100.0),
        (Figure::Number(degrees), Unit::Celsius) => format!("{degrees:.1} °C"),
        (Figure::Number(watts), Unit::Watts) => format!("{watts:.2} W"),
        (Figure::Number(number), _) => format!("{number:.2}"),
        (Figure::Flag(flag), _) => if flag { "yes" } else { "no" }.to_owned(),
        (Figure::Pressure(pressure), _) => format!("{pressure:?}").to_lowercase(),
        (Figure::Status(status), _) => format!("{status:?}").to_lowercase(),
        (Figure::Network(kind), _) => kind.name().to_owned(),
    }
}

const fn label(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::MemoryTotal => "memory",
        Quantity::MemoryAvailable => "memory available",
        Quantity::MemoryLimit => "memory limit",
        Quantity::MemoryPressure => "memory pressure",
        Quantity::GpuMemoryTotal => "GPU memory",
        Quantity::GpuMemoryUsed => "GPU memory used",
        Quantity::GpuMemoryBudget => "GPU memory budget",
        Quantity::ComputeUtilisation => "GPU busy",
        Quantity::CpuUtilisation => "processor busy",
        Quantity::CpuLoad => "processor load",
        Quantity::Power => "power",
        Quantity::Temperature => "temperature",
        Quantity::ThermalStatus => "thermal status",
        Quantity::ThermalHeadroom => "thermal headroom",
        Quantity::BatteryLevel => "battery",
        Quantity::BatteryCharging => "charging",
        Quantity::PowerSave => "power saving",
        Quantity::NetworkKind => "network",
        Quantity::NetworkMetered => "network metered",
        Quantity::DiskTotal => "disk",
        Quantity::DiskAvailable => "disk available",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use exo_telemetry::{Now, now::Moment};

    use super::*;
    use crate::{
        profiles::{Profile, SimulatedProbe},
        telemetry::watcher::Watcher,
    };

    fn after(seconds: u64) -> Now {
        Now {
            mono: Moment::after_start(Duration::from_secs(seconds)),
            wall: Duration::from_secs(1_800_000_000 + seconds),
        }
    }

    fn seen(seconds: u64) -> Sight {
        let probe = Box::new(SimulatedProbe::new(Profile::Pixel9, None));
        let mut watcher = Watcher::new(probe, Duration::from_secs(1), after(0));
        (0..=seconds).map(|second| watcher.look(after(second))).last().unwrap()
    }

    #[test]
    fn every_reading_says_where_it_comes_from() {
        let text = render(&seen(0), Palette::Plain);
        for quantity in Quantity::ALL {
            let line = text.lines().find(|line| line.trim_start().starts_with(label(quantity))).unwrap();
            let sources = ["measured", "estimated: ", "unavailable: "];
            assert!(sources.iter().any(|source| line.contains(source)), "{line}");
        }
        assert!(
            text.contains("  battery                        80 %   estimated: a simulated device"),
            "{text}"
        );
    }

    #[test]
    fn the_forecast_is_a_chart_with_a_sentence() {
        let sight = seen(120);
        let text = render(&sight, Palette::Plain);
        assert!(text.contains("Heat: "), "{text}");
        assert!(text.contains("in 120 s if it goes on so"), "{text}");
        assert!(text.contains('•') && text.contains('░') && text.contains("now"), "{text}");
        let forecast = sight.forecast.unwrap();
        assert!(forecast.points.iter().all(|band| band.low <= band.mean && band.mean <= band.high));
    }

    #[test]
    fn a_device_without_sensors_has_no_forecast_and_says_so() {
        let probe = Box::new(exo_node::probe::LinuxProbe::rooted("/nonexistent"));
        let mut watcher = Watcher::new(probe, Duration::from_secs(1), after(0));
        let text = render(&watcher.look(after(1)), Palette::Plain);
        assert!(text.contains("No forecast: this device tells neither"), "{text}");
        assert!(!text.contains(" 0 B"), "nothing is 0 by default: {text}");
    }
}
