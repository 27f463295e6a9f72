internal import ExoMobileCore
import Foundation

// In the core's surface a reading is a sample: a quantity, a figure, and where that comes from. Here it gets its type
// back, and loses it on the way there.

/// One reading and its place in the core.
private struct Place: Sendable {
    let quantity: ExoMobileCore.Quantity
    let group: Readings.Group
    let tell: @Sendable (Readings) -> ExoMobileCore.Sample
    let take: @Sendable (ExoMobileCore.Sample, inout Readings) -> Void

    init<Value>(
        _ quantity: ExoMobileCore.Quantity, _ group: Readings.Group,
        _ path: WritableKeyPath<Readings, Reading<Value>> & Sendable,
        _ figure: @escaping @Sendable (Value) -> ExoMobileCore.Figure,
        _ value: @escaping @Sendable (ExoMobileCore.Figure) -> Value?
    ) {
        self.quantity = quantity
        self.group = group
        tell = { ExoMobileCore.Sample(quantity, $0[keyPath: path], figure) }
        take = { $1[keyPath: path] = Reading($0, value) }
    }

    static func bytes(
        _ quantity: ExoMobileCore.Quantity, _ group: Readings.Group,
        _ path: WritableKeyPath<Readings, Reading<UInt64>> & Sendable
    ) -> Self {
        Self(quantity, group, path, { .bytes(bytes: $0) }, { if case .bytes(let bytes) = $0 { bytes } else { nil } })
    }

    static func number(
        _ quantity: ExoMobileCore.Quantity, _ group: Readings.Group,
        _ path: WritableKeyPath<Readings, Reading<Double>> & Sendable
    ) -> Self {
        Self(
            quantity, group, path, { .number(number: $0) },
            { if case .number(let number) = $0 { number } else { nil } })
    }

    static func flag(
        _ quantity: ExoMobileCore.Quantity, _ group: Readings.Group,
        _ path: WritableKeyPath<Readings, Reading<Bool>> & Sendable
    ) -> Self {
        Self(quantity, group, path, { .flag(flag: $0) }, { if case .flag(let flag) = $0 { flag } else { nil } })
    }

    static let all: [Self] = [
        bytes(.memoryTotal, .memory, \.memory.total),
        bytes(.memoryAvailable, .memory, \.memory.available),
        bytes(.memoryLimit, .memory, \.memory.limit),
        Self(
            .memoryPressure, .memory, \.memory.pressure, { .memory(pressure: $0.core) },
            { if case .memory(let pressure) = $0 { Pressure(pressure) } else { nil } }),
        bytes(.gpuMemoryTotal, .gpu, \.gpu.memoryTotal),
        bytes(.gpuMemoryUsed, .gpu, \.gpu.memoryUsed),
        bytes(.gpuMemoryBudget, .gpu, \.gpu.memoryBudget),
        number(.computeUtilisation, .gpu, \.gpu.utilisation),
        number(.cpuUtilisation, .cpu, \.cpu.utilisation),
        number(.cpuLoad, .cpu, \.cpu.load),
        number(.power, .power, \.power),
        number(.temperature, .thermal, \.thermal.temperature),
        Self(
            .thermalStatus, .thermal, \.thermal.status, { .thermal(status: $0.core) },
            { if case .thermal(let status) = $0 { ThermalStatus(status) } else { nil } }),
        number(.thermalHeadroom, .thermal, \.thermal.headroom),
        number(.batteryLevel, .battery, \.battery.level),
        flag(.batteryCharging, .battery, \.battery.charging),
        flag(.powerSave, .battery, \.battery.powerSave),
        Self(
            .networkKind, .network, \.network.kind, { .network(kind: $0.core) },
            { if case .network(let kind) = $0 { NetworkKind(kind) } else { nil } }),
        flag(.networkMetered, .network, \.network.metered),
        bytes(.diskTotal, .disk, \.disk.total),
        bytes(.diskAvailable, .disk, \.disk.available),
    ]

    static let byQuantity = Dictionary(uniqueKeysWithValues: all.map { ($0.quantity, $0) })
}

extension Readings {
    /// From the core. What is newer than this layer is left out.
    init(_ samples: [ExoMobileCore.Sample]) {
        self.init()
        for sample in samples { Place.byQuantity[sample.quantity]?.take(sample, &self) }
    }

    /// For the core: what was wanted, and what is known beyond that.
    func samples(_ wanted: Set<Group>) -> [ExoMobileCore.Sample] {
        Place.all.compactMap { place in
            let sample = place.tell(self)
            return wanted.contains(place.group) || sample.figure != nil ? sample : nil
        }
    }
}

extension Reading {
    fileprivate init(_ sample: ExoMobileCore.Sample, _ value: (ExoMobileCore.Figure) -> Value?) {
        let at = sample.atMs.map(Date.init(milliseconds:)) ?? Date()
        let note = sample.note ?? ""
        switch (sample.source, sample.figure.flatMap(value)) {
        case (.measured, let value?): self = .measured(value, at: at)
        case (.estimated, let value?): self = .estimated(value, how: note, at: at)
        default: self = .unavailable(why: note, at: at)
        }
    }
}

extension ExoMobileCore.Sample {
    fileprivate init<Value>(
        _ quantity: ExoMobileCore.Quantity, _ reading: Reading<Value>, _ figure: (Value) -> ExoMobileCore.Figure
    ) {
        self.init(
            quantity: quantity, figure: reading.value.map(figure), source: reading.source.core, note: reading.note,
            atMs: reading.at.milliseconds)
    }
}
