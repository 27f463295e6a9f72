internal import ExoMobileCore

/// What the owner allows. By default there are no rules, and everything is allowed.
public struct Policy: Sendable, Equatable {
    /// A time of day, by the owner's clock, at which the phone is left alone. It may go over midnight.
    public struct QuietHours: Sendable, Equatable {
        /// The first quiet minute of the day, 0 to 1439.
        public var from: UInt16
        /// The first minute that is not quiet any more.
        public var to: UInt16

        /// From one minute of the day to another.
        public init(from: UInt16, to: UInt16) {
            self.from = from
            self.to = to
        }
    }

    /// Work only while the battery is being charged, or the device runs from the mains.
    public var onlyWhileCharging: Bool
    /// Work only with at least this much in the battery, 0 to 1.
    public var minBattery: Double?
    /// Work only below this many degrees Celsius.
    public var maxTemperature: Double?
    /// Work only up to this status.
    public var maxThermalStatus: ThermalStatus?
    /// Work only on Wi-Fi or a cable, and not where bytes cost money.
    public var wifiOnly: Bool
    /// Use at most this many bytes.
    public var memoryCap: UInt64?
    /// Do not work at these times.
    public var quietHours: QuietHours?
    /// Work only while the app is on the screen.
    public var foregroundOnly: Bool
    /// How long work may go on after a rule said no; 30 s if left out.
    public var drain: Duration?
    /// How long all rules must say yes before work begins again; 30 s if left out.
    public var settle: Duration?

    /// Everything is allowed, unless told otherwise.
    public init(
        onlyWhileCharging: Bool = false,
        minBattery: Double? = nil,
        maxTemperature: Double? = nil,
        maxThermalStatus: ThermalStatus? = nil,
        wifiOnly: Bool = false,
        memoryCap: UInt64? = nil,
        quietHours: QuietHours? = nil,
        foregroundOnly: Bool = false,
        drain: Duration? = nil,
        settle: Duration? = nil
    ) {
        self.onlyWhileCharging = onlyWhileCharging
        self.minBattery = minBattery
        self.maxTemperature = maxTemperature
        self.maxThermalStatus = maxThermalStatus
        self.wifiOnly = wifiOnly
        self.memoryCap = memoryCap
        self.quietHours = quietHours
        self.foregroundOnly = foregroundOnly
        self.drain = drain
        self.settle = settle
    }

    var core: ExoMobileCore.Policy {
        ExoMobileCore.Policy(
            onlyWhileCharging: onlyWhileCharging,
            minBattery: minBattery,
            maxTemperature: maxTemperature,
            maxThermalStatus: maxThermalStatus?.core,
            wifiOnly: wifiOnly,
            memoryCap: memoryCap,
            quietHours: quietHours.map { ExoMobileCore.QuietHours(from: $0.from, to: $0.to) },
            foregroundOnly: foregroundOnly,
            drain: drain?.interval,
            settle: settle?.interval
        )
    }
}

/// What the phone may do now.
public struct Allowance: Sendable, Equatable {
    /// Something that the owner can ask for.
    public enum Rule: String, Sendable, CaseIterable {
        /// Work only while charging.
        case onlyWhileCharging
        /// Work only above a battery level.
        case minBattery
        /// Work only below a temperature.
        case maxTemperature
        /// Work only up to a thermal status.
        case maxThermalStatus
        /// Work only on Wi-Fi or a cable.
        case wifiOnly
        /// Use no more memory than this.
        case memoryCap
        /// Do not work at these times.
        case quietHours
        /// Work only while the app is on the screen.
        case foregroundOnly
    }

    /// What a rule says.
    public enum Verdict: String, Sendable, CaseIterable {
        /// Yes, with a part of the device.
        case limited
        /// No.
        case denied
        /// It cannot know, which is a no.
        case unknown
    }

    /// One rule that matters now.
    public struct Reason: Sendable, Equatable {
        /// Which.
        public let rule: Rule
        /// What it says.
        public let verdict: Verdict
        /// The same for people.
        public let words: String
    }

    /// 0 to 1: how much of the device work may use.
    public let share: Double
    /// Whether new work may be taken.
    public let admits: Bool
    /// The most bytes that work may use, if the owner set a cap.
    public let memory: UInt64?
    /// Every rule that says no, does not know, or takes a part of the share away.
    public let reasons: [Reason]
    /// All reasons in one line.
    public let sentence: String

    init(_ allowance: ExoMobileCore.Allowance) {
        share = allowance.share
        admits = allowance.admit
        memory = allowance.memory
        reasons = allowance.reasons.map { Reason(rule: Rule($0.rule), verdict: Verdict($0.verdict), words: $0.words) }
        sentence = allowance.sentence
    }
}
