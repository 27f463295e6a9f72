internal import ExoMobileCore

/// Where the membership stands.
public enum NodeState: Sendable, Equatable {
    /// No cluster yet. ``ExoNode/search`` says why.
    case searching
    /// A cluster was found and is being dialled.
    case connecting(to: String)
    /// Linked; waiting for the first acknowledgement.
    case joining
    /// The cluster knows us. It has so many nodes, us included.
    case joined(nodes: Int)
    /// Linked, but nothing is sent: the cluster's build is not one that we know.
    case listeningOnly(why: String)
    /// We were joined and something is wrong. Being repaired.
    case degraded(why: String)
    /// Saying goodbye.
    case draining
    /// Over.
    case left
    /// Over through a fault of our own. Join again, and report it.
    case failed(why: String)

    /// Whether the cluster knows us.
    public var isJoined: Bool {
        if case .joined = self { true } else { false }
    }

    /// Whether nothing comes any more.
    public var isOver: Bool {
        switch self {
        case .left, .failed: true
        default: false
        }
    }

    init(_ state: ExoMobileCore.NodeState) {
        self =
            switch state {
            case .searching: .searching
            case .connecting(let to): .connecting(to: to)
            case .joining: .joining
            case .joined(let nodes): .joined(nodes: Int(nodes))
            case .listeningOnly(let why): .listeningOnly(why: why)
            case .degraded(let why): .degraded(why: why)
            case .draining: .draining
            case .left: .left
            case .failed(let why): .failed(why: why)
            }
    }
}

/// What a node did so far. Counters never go back.
public struct NodeStats: Sendable, Equatable {
    /// Payloads that were heard.
    public let heard: UInt64
    /// Payloads that came faster than they could be read.
    public let overrun: UInt64
    /// Payloads that were too large to be kept.
    public let oversized: UInt64
    /// Payloads that could not be handed to the network.
    public let unsent: UInt64
    /// Links that were lost.
    public let linksLost: UInt64

    init(_ stats: ExoMobileCore.NodeStats) {
        heard = stats.heard
        overrun = stats.overrun
        oversized = stats.oversized
        unsent = stats.unsent
        linksLost = stats.linksLost
    }
}
