import ExoMobile
import SampleModels
import Testing

@MainActor @Suite("The screen Cluster", .serialized)
struct ClusterScreenTests {
    @Test("invites to join while there is no node")
    func begins() {
        let screen = app().cluster
        #expect(screen.standing.headline == "Not in a cluster")
        #expect(screen.standing.actions == [.join])
        #expect(screen.ways.isEmpty && screen.devices.isEmpty)
    }

    @Test("says of each way of searching what came of it, in the library's own words")
    func searching() async throws {
        let app = app(alone: true)
        app.join()
        try await until { app.cluster.ways.contains { !$0.detail.isEmpty } }
        let screen = app.cluster
        #expect(screen.standing.headline == "Searching")
        #expect(screen.standing.isBusy)
        #expect(screen.ways.map(\.title) == ["On this phone"])
        #expect(screen.ways.allSatisfy { $0.detail.hasSuffix(".") && $0.spoken.contains($0.title) })
        await app.leave()
    }

    @Test("says that there is no network, before anything else")
    func offline() async throws {
        var readings = Readings()
        readings.network.kind = .measured(.disconnected)
        let app = app(readings, alone: true) { $0.only = [.loopback, .dnsSd] }
        app.join()
        try await until { app.cluster.standing.headline == "No network" }
        #expect(!app.cluster.standing.actions.contains(.openSettings))
        await app.leave()
    }

    @Test("leads to Settings where the system does not allow the local network, with its reason")
    func denied() async throws {
        var readings = Readings()
        readings.network.kind = .measured(.wifi)
        let app = app(readings, alone: true) { $0.only = [.loopback, .dnsSd] }
        app.join()
        try await until { app.cluster.standing.actions.contains(.openSettings) }
        #expect(app.cluster.standing.headline == "The local network is closed")
        let way = try #require(app.cluster.ways.first { $0.tone == .warn })
        #expect(way.detail == "The local network is not allowed for this app.")
        await app.leave()
    }

    @Test("tells who is in the cluster, this phone by its name, and bids farewell", .besideExo)
    func joined() async throws {
        let app = app()
        app.wishes.name = "Ada's iPhone"
        app.join()
        try await until {
            app.cluster.devices.contains { $0.detail.hasPrefix("This phone") && $0.title == "Ada's iPhone" }
        }
        try await until { app.cluster.standing.sentence.hasPrefix("The cluster of mac") }
        let screen = app.cluster
        #expect(screen.standing.headline == "Joined")
        #expect(screen.standing.tone == .good)
        #expect(screen.standing.actions == [.leave])
        #expect(screen.devices.first?.title == "mac")
        #expect(screen.devices.first?.detail.contains("Master") == true)
        #expect(screen.ways.isEmpty)

        var headlines: [String] = []
        let leaving = Task { await app.leave() }
        try await until {
            headlines.append(app.cluster.standing.headline)
            return app.cluster.standing.actions == [.join]
        }
        await leaving.value
        #expect(headlines.contains("Leaving"))
        #expect(app.cluster.devices.isEmpty)
    }

    @Test("says that it only listens, and why", .besideExo)
    func listening() async throws {
        let app = app { $0.listensOnly = true }
        app.join()
        try await until { app.cluster.standing.headline == "Listening only" }
        #expect(app.cluster.standing.sentence.contains("sends nothing"))
        try await until { !app.cluster.devices.isEmpty }
        #expect(!app.cluster.devices.contains { $0.detail.hasPrefix("This phone") })
        await app.leave()
    }

    #if os(Linux)
        @Test("says that it is being repaired while the network is gone, and is joined again after", .besideExo)
        func degraded() async throws {
            let app = app()
            app.join()
            try await until { app.cluster.standing.headline == "Joined" }
            try Loopback.set(up: false)
            defer { try? Loopback.set(up: true) }
            try await until { app.cluster.standing.headline == "Being repaired" }
            #expect(app.cluster.standing.isBusy)
            #expect(!app.cluster.devices.isEmpty)
            try Loopback.set(up: true)
            try await until { app.cluster.standing.headline == "Joined" }
            await app.leave()
        }
    #endif

    @Test("says what could not start, and lets the owner try again")
    func fault() {
        let app = app { $0.metrics = "not an address" }
        app.join()
        #expect(app.cluster.standing.headline == "It could not start")
        #expect(app.cluster.standing.sentence.contains("127.0.0.1:9473"))
        #expect(app.cluster.standing.actions == [.join])
    }

    /// States that pass in a blink, or that nothing provokes.
    @Test(
        "has words for every state",
        arguments: [
            (NodeState.connecting(to: "tcp/192.168.1.7:52414"), "Connecting"), (.joining, "Joining"),
            (.draining, "Leaving"), (.failed(why: "a fault"), "It ended by itself"), (.left, "Not in a cluster"),
        ])
    func words(state: NodeState, headline: String) {
        var seen = Seen()
        seen.state = state
        let standing = ClusterScreen(seen).standing
        #expect(standing.headline == headline)
        #expect(standing.sentence.hasSuffix("."))
        #expect(standing.actions.contains(.join) == state.isOver)
    }

    @Test("comes back after the node left in the background, and not after the owner left", .besideExo)
    func comesBack() async throws {
        let membership = Membership(platform: { Platform(probe: FakeProbe()) }) { node in background.node = node }
        let app = SampleModel(folder: .temporary, membership: membership) {
            $0.only = [.loopback]
            $0.measuresLinks = false
        }
        app.join()
        try await until { app.cluster.standing.headline == "Joined" }
        // What AppLifecycle.leaveInBackground does.
        try await background.node?.leave(within: .seconds(5))
        try await until { app.cluster.standing.actions == [.join] }
        app.comeBack()
        try await until { app.cluster.standing.headline == "Joined" }
        // And when the app comes back while the node still says goodbye.
        let node = background.node
        let goodbye = Task { try await node?.leave(within: .seconds(5)) }
        try await until { ["Leaving", "Not in a cluster"].contains(app.cluster.standing.headline) }
        app.comeBack()
        try await goodbye.value
        try await until { app.cluster.standing.headline == "Joined" }
        await app.leave()
        app.comeBack()
        #expect(app.cluster.standing.headline == "Not in a cluster")
    }

    @MainActor private final class Background { var node: ExoNode? }
    private let background = Background()
}
