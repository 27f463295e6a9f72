internal import ExoMobileCore

/// How this device is.
public struct Condition: Sendable, Equatable {
    /// Whether work is taken, drained or stopped.
    public enum Work: String, Sendable, CaseIterable {
        /// Work is taken and done.
        case working
        /// No new work is taken; what is under way may finish.
        case draining
        /// Nothing is done.
        case stopped
    }

    /// What the probe saw last.
    public let readings: Readings
    /// What the owner's policy allows, and why not more.
    public let allowance: Allowance
    /// Whether work is taken, drained or stopped.
    public let work: Work
    /// Where the heat stands, and where it is going.
    public let heat: Heat
    /// The part of the device that work may use now, by the policy and by the heat.
    public let share: Double
    /// Whether exo is offered a backend.
    public let offers: Bool

    init(_ condition: ExoMobileCore.Condition) {
        readings = Readings(condition.readings)
        allowance = Allowance(condition.allowance)
        work = Work(condition.work)
        heat = Heat(condition.heat)
        share = condition.share
        offers = condition.offers
    }
}

/// Where the heat stands, and where it is going.
public struct Heat: Sendable, Equatable {
    /// How much a device may work, by its heat.
    public enum Level: Int, Sendable, CaseIterable, Comparable {
        /// No work until it has cooled down.
        case paused
        /// Just enough to keep a place in the cluster.
        case low
        /// About half.
        case half
        /// Four fifths.
        case reduced
        /// A little less than all.
        case eased
        /// Everything.
        case full

        /// Less work is less.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// What a forecast is in.
    public enum Unit: String, Sendable, CaseIterable {
        /// Degrees.
        case celsius
        /// Android's headroom.
        case headroom
        /// Android's levels, from 0.
        case levels
    }

    /// What the sensor will say.
    public struct Outlook: Sendable, Equatable {
        /// In what.
        public let unit: Unit
        /// The best guess.
        public let mean: Double
        /// One time in ten it will be below this.
        public let low: Double
        /// One time in ten it will be above this.
        public let high: Double
        /// 0 to 1.
        public let confidence: Double
        /// How far ahead.
        public let horizon: Duration
    }

    /// How much the device may work.
    public let level: Level
    /// How close it is to its limit, 1 at the limit; none if no sensor ever told.
    public let closeness: Double?
    /// Whether a sensor told something in the last seconds.
    public let isSeen: Bool
    /// How long until its limit if the work goes on; none if it is not on its way there.
    public let timeToLimit: Duration?
    /// What its sensor will say; none if no sensor ever told.
    public let outlook: Outlook?

    init(_ heat: ExoMobileCore.Heat) {
        level = Level(heat.level)
        closeness = heat.closeness
        isSeen = heat.isSeen
        timeToLimit = heat.timeToLimit.map(Duration.init(interval:))
        outlook = heat.outlook.map {
            Outlook(
                unit: Unit($0.unit), mean: $0.mean, low: $0.low, high: $0.high, confidence: $0.confidence,
                horizon: Duration(interval: $0.horizon))
        }
    }
}
