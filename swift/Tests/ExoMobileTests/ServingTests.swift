import ExoMobile
import Testing

@Suite("A node with models")
struct ServingTests {
    @Test("joins, shows a backend as long as something is offered, and leaves", .besideExo)
    func serves() async throws {
        let host = try await ModelHost.open(.tiny)
        let node = try ExoNode.join(.beside("swift-serves"), platform: Platform(models: host))
        _ = try await first(of: node.clusters) { $0.thisDevice?.backends.isEmpty == true }
        try host.offer([tiny])
        _ = try await first(of: node.clusters) { $0.thisDevice?.backends.isEmpty == false }
        _ = try await first(of: node.conditions, where: \.offers)
        try host.offer([])
        _ = try await first(of: node.clusters) { $0.thisDevice?.backends.isEmpty == true }
        try await node.leave(within: .seconds(10))
        node.close()
        #expect(try host.offered.isEmpty)
        host.close()
    }

    @Test("and the app itself ask the same host")
    func both() async throws {
        let host = try await ModelHost.open(.tiny)
        try host.offer([tiny])
        let node = try ExoNode.join(.alone, platform: Platform(models: host))
        let model = try await host.load(tiny)
        #expect(try await model.ask(.short).text() != "")
        node.close()
        #expect(try await model.ask(.short).text() != "")
        model.close()
        host.close()
    }

    @Test("and its host may end in either order", arguments: [true, false])
    func orders(hostFirst: Bool) async throws {
        let host = try await ModelHost.open(.tiny)
        try host.offer([tiny])
        let node = try ExoNode.join(.alone, platform: Platform(models: host))
        _ = try await first(of: node.conditions) { _ in true }
        hostFirst ? host.close() : node.close()
        hostFirst ? node.close() : host.close()
        #expect(try await error { try node.state }.kind == .closed)
        #expect(try await error { try host.used }.kind == .closed)
    }
}
