internal import ExoMobileCore

/// What a device is worth now.
public struct Score: Sendable, Equatable {
    /// What a score is made of.
    public enum Formula: String, Sendable, CaseIterable {
        /// `(0.6 memory + 0.4 compute) x heat`: for a device by itself.
        case quick
        /// `0.40 compute + 0.30 memory + 0.15 network + 0.10 thermal headroom + 0.05 bandwidth`: for a device among
        /// others.
        case composite
    }

    /// What a factor is about.
    public enum Part: String, Sendable, CaseIterable {
        /// Memory that is free for us.
        case memory
        /// Compute that nobody uses.
        case compute
        /// How near the other members are.
        case networkPosition
        /// How far from throttling.
        case thermalHeadroom
        /// How fast bytes reach the other members.
        case bandwidth
        /// The penalty for heat.
        case heat
    }

    /// One part of a score.
    public struct Factor: Sendable, Equatable {
        /// What it is about.
        public let part: Part
        /// Its weight before the unknown parts are left out.
        public let weight: Double
        /// 0 to 1, or nothing if it is not known.
        public let value: Double?
        /// Where the value comes from.
        public let source: Source
        /// What was read, or why nothing could be.
        public let note: String
    }

    /// Whose.
    public let deviceID: String
    /// 0 to 1; nothing if nothing is known.
    public let value: Double?
    /// 0 to 1: how much of what the formula asks was known.
    public let confidence: Double
    /// What it is made of.
    public let factors: [Factor]
    /// The same for people.
    public let sentence: String

    init(_ score: ExoMobileCore.Score) {
        deviceID = score.deviceId
        value = score.value
        confidence = score.confidence
        factors = score.factors.map {
            Factor(
                part: Part($0.part), weight: $0.weight, value: $0.value, source: Source($0.source), note: $0.note)
        }
        sentence = score.sentence
    }
}
