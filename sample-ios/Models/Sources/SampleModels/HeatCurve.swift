import ExoMobile
import Foundation

/// What the sensor said over the last minutes, in one unit.
public struct HeatHistory: Sendable, Equatable {
    /// One look at the sensor.
    public struct Point: Sendable, Equatable {
        /// When.
        public let at: Date
        /// What it said.
        public let value: Double
        /// In what.
        public let unit: Heat.Unit
    }

    /// The looks, oldest first.
    public private(set) var points: [Point] = []
    /// The newest.
    public var last: Point? { points.last }

    private static let kept: TimeInterval = 300
    private static let every: TimeInterval = 1

    /// Nothing yet.
    public init() {}

    /// Adds what `condition` says. A sensor that begins to tell in another unit begins a new history.
    public mutating func add(_ condition: Condition, at now: Date = Date()) {
        guard let unit = condition.heat.outlook?.unit else { return }
        let thermal = condition.readings.thermal
        let value =
            switch unit {
            case .celsius: thermal.temperature.value
            case .headroom: thermal.headroom.value
            case .levels: thermal.status.value.map { Double($0.rawValue) }
            }
        if let value { add(Point(at: now, value: value, unit: unit)) }
    }

    mutating func add(_ point: Point) {
        points.removeAll {
            let age = point.at.timeIntervalSince($0.at)
            return $0.unit != point.unit || age > Self.kept || age < Self.every
        }
        points.append(point)
    }
}

/// A history and its forecast, laid out for a chart: times in seconds from now, past ones below zero.
public struct HeatCurve: Sendable, Equatable {
    /// A point of the past.
    public struct Spot: Sendable, Equatable, Identifiable {
        /// Seconds from now.
        public let seconds: Double
        /// What the sensor said.
        public let value: Double
        /// One spot a moment.
        public var id: Double { seconds }
    }

    /// A point of the band in which the sensor will be, four times in five.
    public struct Reach: Sendable, Equatable, Identifiable {
        /// Seconds from now.
        public let seconds: Double
        /// The best guess.
        public let mean: Double
        /// One time in ten below this.
        public let low: Double
        /// One time in ten above this.
        public let high: Double
        /// One reach a moment.
        public var id: Double { seconds }
    }

    /// The past.
    public let spots: [Spot]
    /// Now and the horizon.
    public let forecast: [Reach]
    /// The lowest and the highest value that the chart shows.
    public let range: ClosedRange<Double>
    /// What the figures are in.
    public let unit: Heat.Unit

    /// So many grains at least, or noise would look like a mountain.
    private static let smallest = 6.0

    /// None until there is anything to draw.
    public init?(_ history: HeatHistory, _ outlook: Heat.Outlook?) {
        guard let last = history.last, let outlook, outlook.unit == last.unit else { return nil }
        let horizon = Double(outlook.horizon.components.seconds)
        self.init(
            last: last, points: history.points,
            reach: Reach(seconds: horizon, mean: outlook.mean, low: outlook.low, high: outlook.high))
    }

    init(last: HeatHistory.Point, points: [HeatHistory.Point], reach: Reach) {
        unit = last.unit
        spots = points.map { Spot(seconds: $0.at.timeIntervalSince(last.at), value: $0.value) }
        forecast = [Reach(seconds: 0, mean: last.value, low: last.value, high: last.value), reach]
        let grain = unit == .headroom ? 0.1 : 1
        let values = spots.map(\.value) + [reach.low, reach.high]
        let low = ((values.min() ?? 0) / grain).rounded(.down) * grain - grain
        let high = ((values.max() ?? 0) / grain).rounded(.up) * grain + grain
        range = low...max(high, low + Self.smallest * grain)
    }

    /// What a value of the axis is called.
    public func label(_ value: Double) -> String { inWords(value, unit) }
}

/// A value of the sensor, as people say it.
func inWords(_ value: Double, _ unit: Heat.Unit) -> String {
    switch unit {
    case .celsius: "\(Int(value.rounded())) °C"
    case .headroom: "\(percent(value)) of the limit"
    case .levels: ThermalStatus(rawValue: Int(value.rounded())).map { "\($0)" } ?? "level \(Int(value.rounded()))"
    }
}
