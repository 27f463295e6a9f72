internal import ExoMobileCore

/// A member of a cluster, or of one that is still searched for.
///
/// It lives until ``close()``, or until the last reference is gone. All of it may be called from any thread.
public final class ExoNode: Sendable {
    let core: ExoMobileCore.ExoNode
    /// Without it, a host that nobody else holds would be gone while its models are served.
    private let models: ModelHost?

    private init(core: ExoMobileCore.ExoNode, models: ModelHost?) {
        self.core = core
        self.models = models
    }

    /// Starts searching and joins what is found; ``states`` tells how it goes. Returns at once.
    public static func join(
        _ options: JoinOptions = JoinOptions(), platform: Platform = .standard
    ) throws(ExoError) -> ExoNode {
        let core = try calling { try ExoMobileCore.ExoNode.join(options: options.core, platform: platform.core) }
        return ExoNode(core: core, models: platform.models)
    }

    /// Who we are.
    public var id: String {
        get throws(ExoError) { try calling { try core.id() } }
    }

    /// What the start has to say to people, such as an identity that could not be kept.
    public var notes: [String] {
        get throws(ExoError) { try calling { try core.notes() } }
    }

    // MARK: Membership

    /// Where the membership stands now.
    public var state: NodeState {
        get throws(ExoError) { NodeState(try calling { try core.state() }) }
    }

    /// Where the membership stands, each time it changes.
    public var states: Updates<NodeState> {
        Updates(of: core, { try $0.states() }, NodeState.init)
    }

    /// The cluster now.
    public var cluster: Cluster {
        get throws(ExoError) { Cluster(try calling { try core.cluster() }) }
    }

    /// The cluster, each time it changes, a few times a second at most.
    public var clusters: Updates<Cluster> {
        Updates(of: core, { try $0.clusters() }, Cluster.init)
    }

    /// What each way of searching did and what came of it.
    public var search: [SearchStatus] {
        get throws(ExoError) { try calling { try core.search() }.map(SearchStatus.init) }
    }

    /// The same, each time it changes.
    public var searches: Updates<[SearchStatus]> {
        Updates(of: core, { try $0.searches() }, { $0.map(SearchStatus.init) })
    }

    /// What was sent and heard so far.
    public var stats: NodeStats {
        get throws(ExoError) { NodeStats(try calling { try core.stats() }) }
    }

    /// What the network said each time something did not work, for people.
    public var troubles: Updates<String> {
        Updates(of: core, { try $0.troubles() }, { $0 })
    }

    // MARK: Telemetry

    /// How this device is; none until it was looked at.
    public var condition: Condition? {
        get throws(ExoError) { try calling { try core.condition() }.map(Condition.init) }
    }

    /// How this device is, each time it changes, once a second at most.
    public var conditions: Updates<Condition> {
        Updates(of: core, { try $0.conditions() }, Condition.init)
    }

    /// How all members of this SDK are that told it.
    public var telemetry: ClusterTelemetry {
        get throws(ExoError) { ClusterTelemetry(try calling { try core.telemetry() }) }
    }

    /// The same, each time it changes, once a second at most.
    public var telemetries: Updates<ClusterTelemetry> {
        Updates(of: core, { try $0.telemetries() }, ClusterTelemetry.init)
    }

    /// The links between members of this SDK, as they measured them.
    public var topology: Topology {
        get throws(ExoError) { Topology(try calling { try core.topology() }) }
    }

    /// How good each member of this SDK is for work now, best first.
    public func scores(_ formula: Score.Formula = .composite) throws(ExoError) -> [Score] {
        try calling { try core.scores(formula: formula.core) }.map(Score.init)
    }

    /// Changes what the owner allows. Holds at once.
    public func setPolicy(_ policy: Policy) throws(ExoError) {
        try calling { try core.setPolicy(policy: policy.core) }
    }

    /// Measures what this device can do, for about a third of a second, and tells the other members.
    public func calibrate(_ gpu: Gpu) async throws(ExoError) {
        try await calling { [core] in try await core.calibrate(gpu: gpu.core) }
    }

    /// The app is on the screen, or is not any more. For apps that give no ``Platform/lifecycle``.
    public func shown(_ shown: Bool) throws(ExoError) {
        try calling { try core.shown(shown: shown) }
    }

    /// These readings changed: look at them now, not when it is their turn.
    public func noticed(_ groups: Set<Readings.Group>) throws(ExoError) {
        try calling { try core.noticed(groups: groups.map(\.core)) }
    }

    // MARK: Planning

    /// Who would run which layers of a model of the cluster's, and why. Nothing is sent to anybody.
    public func plan(_ model: String, wishes: Plan.Wishes = Plan.Wishes()) async throws(ExoError) -> Plan {
        Plan(try await calling { [core] in try await core.plan(model: model, wishes: wishes.core) })
    }

    /// Asks exo to run the plan that was made last, and gives the id of the instance. Only ever done because the app asks.
    public func handOver(_ plan: Plan) async throws(ExoError) -> String {
        try await calling { [core] in try await core.handOver(plan: plan.core) }
    }

    // MARK: The end

    /// Says goodbye and waits until the cluster has seen it, at most about this long.
    public func leave(within: Duration = .seconds(5)) async throws(ExoError) {
        try await calling { [core] in try await core.leave(within: within.interval) }
    }

    /// Ends the node; a second time does nothing. One that has not left says goodbye for a quarter of a second, and ends
    /// all the same.
    public func close() {
        try? core.shut()
    }
}
