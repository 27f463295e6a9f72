import ExoMobile

/// All that the app has seen of its node, at one moment. The screens are made of this and of nothing else.
public struct Seen: Sendable, Equatable {
    /// Where the membership stands; none while there is no node.
    public var state: NodeState?
    /// What each way of searching did.
    public var searches: [SearchStatus] = []
    /// The cluster.
    public var cluster: Cluster?
    /// How this phone is.
    public var condition: Condition?
    /// What the sensor said over the last minutes.
    public var heat = HeatHistory()
    /// The GPU.
    public var gpu = GpuSeen.unopened
    /// Where the exo is that this phone was linked to last.
    public var linkedTo: String?
    /// Why there is no node although the owner asked for one.
    public var fault: ExoError?

    /// Nothing yet.
    public init() {}

    /// Whether the system keeps the app from the local network. On iOS its own daemon is the one that says so.
    public var isDenied: Bool {
        searches.contains { $0.provider == .dnsSd && $0.activity == .blocked }
    }

    /// Whether the phone is in no network at all.
    public var isOffline: Bool { condition?.readings.network.kind.value == .disconnected }
}

/// The GPU, as far as it was asked.
public enum GpuSeen: Sendable, Equatable {
    /// It is being opened.
    case unopened
    /// It was.
    case device(Gpu.Device)
    /// None could be.
    case refused(why: String)
}
