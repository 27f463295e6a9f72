//! How fast every device is for every layer, without a look at each pair: the largest problem has four million of them.
//!
//! A layer takes `max(bytes / bytes_per_s, flops / flops_per_s) / thermal_factor`. Among devices only those count that no
//! other beats at both rates. Along these one rate falls while the other grows, so the time of a layer falls and then
//! grows: the least is where the two parts of the `max` cross. Layers are told apart in the same way.

use super::{
    cost::Rates,
    problem::{Layer, ratio},
};

/// The two numbers of something, and which it is.
#[derive(Debug, Clone, Copy)]
struct Point {
    bytes: f64,
    flops: f64,
    index: usize,
}

impl Point {
    fn of_device((index, rates): (usize, &Rates)) -> Self {
        Self { bytes: rates.bytes * rates.thermal, flops: rates.flops * rates.thermal, index }
    }
}

/// For each layer, its time on the device that is fastest for it.
pub(super) fn least_times(layers: &[Layer], rates: &[Rates]) -> Vec<f64> {
    let mut devices: Vec<Point> = rates.iter().enumerate().map(Point::of_device).collect();
    // Ever fewer bytes a second, ever more operations.
    devices.sort_unstable_by(|a, b| b.bytes.total_cmp(&a.bytes).then(b.flops.total_cmp(&a.flops)));
    let mut most = f64::NEG_INFINITY;
    devices.retain(|device| {
        let counts = device.flops > most;
        most = most.max(device.flops);
        counts
    });
    let least = |layer: &Layer| {
        let crossing =
            devices.partition_point(|device| layer.bytes * device.flops < layer.flops * device.bytes);
        around(&devices, crossing).map(|device| rates[device.index].time(layer)).fold(f64::INFINITY, f64::min)
    };
    layers.iter().map(least).collect()
}

/// For each device, the least of its times of a layer divided by the weight of that layer; infinite if no layer weighs
/// anything.
pub(super) fn least_paces(layers: &[Layer], weights: &[f64], rates: &[Rates]) -> Vec<f64> {
    let weighty = layers.iter().zip(weights).enumerate().filter(|&(_, (_, &weight))| weight > 0.0);
    let mut points: Vec<Point> = weighty
        .map(|(index, (layer, weight))| Point {
            bytes: layer.bytes / weight,
            flops: layer.flops / weight,
            index,
        })
        .collect();
    // Ever more bytes for each unit of weight, ever fewer operations.
    points.sort_unstable_by(|a, b| a.bytes.total_cmp(&b.bytes).then(a.flops.total_cmp(&b.flops)));
    let mut least = f64::INFINITY;
    points.retain(|layer| {
        let counts = layer.flops < least;
        least = least.min(layer.flops);
        counts
    });
    let pace = |device: (usize, &Rates)| {
        let (rates, device) = (device.1, Point::of_device(device));
        let crossing =
            points.partition_point(|layer| layer.bytes * device.flops < layer.flops * device.bytes);
        let paces =
            around(&points, crossing).map(|layer| rates.time(&layers[layer.index]) / weights[layer.index]);
        paces.fold(f64::INFINITY, f64::min)
    };
    rates.iter().enumerate().map(pace).collect()
}

/// The points on both sides of a crossing.
fn around(points: &[Point], crossing: usize) -> impl Iterator<Item = &Point> {
    points[crossing.saturating_sub(1)..].iter().take(2)
}

/// Seconds of all layers on each device but for rounding: layers are sorted by what keeps a device longer, and summed up
/// once.
pub(super) fn wholes(layers: &[Layer], alike: bool, rates: &[Rates]) -> Vec<f64> {
    if let (true, Some(layer)) = (alike, layers.first()) {
        return rates.iter().map(|rates| rates.time(layer) * layers.len() as f64).collect();
    }
    // Operations for each byte; layers of neither take no time.
    let busy = layers.iter().filter(|layer| layer.bytes > 0.0 || layer.flops > 0.0);
    let mut busy: Vec<(f64, &Layer)> = busy.map(|layer| (layer.flops / layer.bytes, layer)).collect();
    busy.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut read = vec![0.0; busy.len() + 1];
    let mut computed = vec![0.0; busy.len() + 1];
    for (at, (_, layer)) in busy.iter().enumerate() {
        read[at + 1] = read[at] + layer.bytes;
    }
    for (at, (_, layer)) in busy.iter().enumerate().rev() {
        computed[at] = computed[at + 1] + layer.flops;
    }
    let whole = |rates: &Rates| {
        let split = busy.partition_point(|(each, _)| each * rates.bytes <= rates.flops);
        (ratio(read[split], rates.bytes) + ratio(computed[split], rates.flops)) / rates.thermal
    };
    rates.iter().map(whole).collect()
}
