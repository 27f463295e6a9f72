internal import ExoMobileCore

/// Who would run which layers of a model, and what that stands on.
public struct Plan: Sendable, Equatable {
    /// What to minimise.
    public enum Objective: String, Sendable, CaseIterable {
        /// The time of one token.
        case latency
        /// The time between tokens of a full pipeline.
        case throughput
    }

    /// What a plan is for.
    public struct Wishes: Sendable, Equatable {
        /// Tokens of context whose keys and values must fit.
        public var contextTokens: UInt32
        /// What to minimise.
        public var objective: Objective
        /// Plan as if devices that offer nothing to exo did. For questions only: such a plan cannot be handed over.
        public var evenGuests: Bool
        /// The most devices of a plan; any number if left out.
        public var maxDevices: UInt32?
        /// How long to search, if it comes to that; 2 s if left out.
        public var timeLimit: Duration?

        /// The quickest token with a context of 4096, unless told otherwise.
        public init(
            contextTokens: UInt32 = 4096, objective: Objective = .latency, evenGuests: Bool = false,
            maxDevices: UInt32? = nil, timeLimit: Duration? = nil
        ) {
            self.contextTokens = contextTokens
            self.objective = objective
            self.evenGuests = evenGuests
            self.maxDevices = maxDevices
            self.timeLimit = timeLimit
        }

        var core: ExoMobileCore.PlanWishes {
            ExoMobileCore.PlanWishes(
                contextTokens: contextTokens, objective: objective.core, evenGuests: evenGuests,
                maxDevices: maxDevices, timeLimit: timeLimit?.interval)
        }
    }

    /// How good a plan is.
    public enum Status: String, Sendable, CaseIterable {
        /// Nothing is better.
        case optimal
        /// It holds, and can be off the best by no more than the lower bound says.
        case feasible
        /// There is no plan, or none was found in time.
        case infeasible
    }

    /// What keeps a device from doing more.
    public enum Binding: String, Sendable, CaseIterable {
        /// Its owner does not allow it.
        case notAllowed
        /// It is too hot.
        case tooHot
        /// It has a rate of 0.
        case noSpeed
        /// With more memory it would do more.
        case memory
        /// With faster links it would be used.
        case links
        /// If it were faster it would do more.
        case speed
        /// With one device more in the plan it would be used.
        case maxDevices
        /// No single one.
        case nothing
    }

    /// Consecutive layers on one device.
    public struct Stage: Sendable, Equatable {
        /// The device's id.
        public let deviceID: String
        /// Its layers.
        public let layers: Range<Int>
    }

    /// What one device got, and why.
    public struct Share: Sendable, Equatable {
        /// The device's id.
        public let deviceID: String
        /// What people call it.
        public let name: String
        /// How many layers it runs.
        public let layers: Int
        /// A sentence that names the binding constraint.
        public let why: String
        /// The constraint that holds it back.
        public let binding: Binding
    }

    /// A figure that had to be assumed, and where it comes from instead.
    public struct Assumption: Sendable, Equatable {
        /// Whom it is about: the name of a device, `model` or `links`.
        public let about: String
        /// What is not known.
        public let unknown: String
        /// What stands in for it.
        public let taken: String
        /// Why that.
        public let because: String
    }

    /// As the core made it, to be handed over unchanged.
    let core: ExoMobileCore.Plan

    /// The model.
    public var model: String { core.model }
    /// How good it is.
    public var status: Status { Status(core.status) }
    /// Who runs which layers, in the order in which a token passes them. Empty if there is no plan.
    public var stages: [Stage] {
        core.stages.map {
            let (start, end) = (Int($0.startLayer), Int($0.endLayer))
            return Stage(deviceID: $0.deviceId, layers: start..<max(start, end))
        }
    }
    /// What it costs.
    public var cost: Duration? { core.costS.map(Duration.init(interval:)) }
    /// What no plan can cost less than.
    public var lowerBound: Duration? { core.lowerBoundS.map(Duration.init(interval:)) }
    /// What each device got, and why.
    public var shares: [Share] {
        core.devices.map {
            Share(
                deviceID: $0.deviceId, name: $0.name, layers: Int($0.layers), why: $0.why,
                binding: Binding($0.binding))
        }
    }
    /// What is not known and was assumed.
    public var assumptions: [Assumption] {
        core.assumptions.map {
            Assumption(about: $0.about, unknown: $0.unknown, taken: $0.taken, because: $0.because)
        }
    }
    /// Bytes of memory that the cluster lacks; 0 if there is a plan.
    public var missingBytes: Double { core.missingBytes }
    /// One sentence about the whole.
    public var summary: String { core.summary }

    init(_ core: ExoMobileCore.Plan) {
        self.core = core
    }
}
