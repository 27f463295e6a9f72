import ExoMobile
import Foundation
import Testing

@Suite("A node")
struct ClusterTests {
    @Test("finds exo on loopback, joins it, sees itself in the cluster, and leaves", .besideExo)
    func joins() async throws {
        let node = try ExoNode.join(.beside("swift-joins"))
        _ = try await first(of: node.states, where: \.isJoined)
        let id = try node.id
        let cluster = try await first(of: node.clusters) { $0.thisDevice?.name == "swift-joins" }
        #expect(cluster.isComplete)
        #expect(cluster.thisDevice?.id == id)
        #expect(cluster.master.map { master in cluster.nodes.contains { $0.id == master } } == true)
        #expect(try node.search.contains { $0.provider == .loopback && $0.activity == .found })
        #expect(try node.stats.heard > 0)
        try await node.leave(within: .seconds(10))
        #expect(try node.state == .left)
        node.close()
    }

    @Test("joins by a link that a person confirmed", .besideExo)
    func link() async throws {
        let shown = try Exo.readLink("exo://127.0.0.1")
        let node = try ExoNode.join(JoinOptions(confirmedLink: shown.link, only: [.link], measuresLinks: false))
        _ = try await first(of: node.states, where: \.isJoined)
        try await node.leave(within: .seconds(10))
    }

    @Test("tells how this device is")
    func condition() async throws {
        let node = try ExoNode.join(.alone)
        let condition = try await first(of: node.conditions) { $0.readings.memory.total.value != nil }
        #expect(condition.readings.memory.total.source == .measured)
        #expect(condition.work == .working)
        #expect(try node.condition != nil)
        node.close()
    }

    @Test("hears how other members of this SDK are, scores them, and draws their links", .besideExo)
    func telemetry() async throws {
        let (one, two) = (try ExoNode.join(.beside("swift-one")), try ExoNode.join(.beside("swift-two")))
        let other = try two.id
        let telemetry = try await first(of: one.telemetries) {
            $0.devices.contains { $0.id == other && $0.name == "swift-two" && $0.readings.memory.total.value != nil }
        }
        #expect(telemetry.devices.first { $0.id == other }?.presence == .present)
        #expect(try one.scores(.quick).contains { $0.deviceID == other && $0.value != nil })
        #expect(try one.topology.svg.contains("<svg"))
        try await two.calibrate(Gpu.open(.cpu))
        _ = try await first(of: one.telemetries) {
            $0.devices.contains { $0.id == other && $0.peakFlopsPerSecond != nil }
        }
        try await two.leave(within: .seconds(10))
        _ = try await first(of: one.telemetries) { $0.devices.contains { $0.id == other && $0.presence == .left } }
        one.close()
    }

    @Test("plans a model of exo's, and hands over its last plan and no other", .besideExo)
    func plans() async throws {
        let node = try ExoNode.join(.beside("swift-plans"))
        _ = try await first(of: node.states, where: \.isJoined)
        #expect(try await error { try await node.plan("no such model") }.kind == .notFound)
        let plan = try await node.plan("mlx-community/Model-000-8bit")
        #expect(plan.model == "mlx-community/Model-000-8bit")
        #expect(plan.status != .infeasible)
        let placed = plan.stages.reduce(0) { $0 + $1.layers.count }
        let shared = plan.shares.reduce(0) { $0 + $1.layers }
        #expect(placed == shared)
        let instance = try await node.handOver(plan)
        _ = try await first(of: node.clusters) { $0.instances.contains { $0.id == instance } }
        _ = try await node.plan("mlx-community/Model-001-8bit")
        #expect(try await error { try await node.handOver(plan) }.kind == .invalidArgument)
        node.close()
    }

    @Test("holds the owner's policy at once, and says which rule says no")
    func policy() async throws {
        let node = try ExoNode.join(.alone)
        _ = try await first(of: node.conditions) { $0.allowance.admits }
        try node.setPolicy(Policy(foregroundOnly: true, drain: .zero))
        try node.shown(false)
        let hidden = try await first(of: node.conditions) { !$0.allowance.admits }
        #expect(hidden.allowance.reasons.contains { $0.rule == .foregroundOnly && $0.verdict == .denied })
        #expect(!hidden.allowance.sentence.isEmpty)
        node.close()
    }

    @Test("refuses options that can never work, and says what to write")
    func badOptions() async throws {
        let error = try await error { try ExoNode.join(JoinOptions(metrics: "not an address")) }
        #expect(error.kind == .invalidArgument)
        #expect(error.reason.contains("127.0.0.1:9473"))
    }

    @Test("that was closed says so, and closes again without complaint")
    func closed() async throws {
        let node = try ExoNode.join(.alone)
        node.close()
        node.close()
        #expect(try await error { try node.state }.kind == .closed)
        #expect(try await error { try await node.leave(within: .zero) }.kind == .closed)
        #expect(try await error { try await node.plan("any") }.kind == .closed)
        #expect(try await error { for try await _ in node.states {} }.kind == .closed)
    }

    @Test("takes no time that cannot be, and does not crash of it")
    func absurdTimes() async throws {
        let node = try ExoNode.join(.alone)
        try node.setPolicy(Policy(drain: .seconds(-5), settle: .seconds(Int64.max)))
        try? await node.leave(within: .seconds(-1))
        node.close()
    }
}
