import ExoMobile
import Foundation
import Testing

/// Keeps in memory, or refuses to.
private final class Drawer: KeyStore {
    let kept = Locked<String?>(nil)
    let refusal: (any Error)?

    init(refusal: (any Error)? = nil) {
        self.refusal = refusal
    }

    func load() throws -> String? { kept.now }

    func save(_ identity: String) throws {
        if let refusal { throw refusal }
        kept.with { $0 = identity }
    }
}

private struct Broken: KeyStore {
    let error: any Error
    func load() throws -> String? { throw error }
    func save(_ identity: String) throws { throw error }
}

private final class Pages: LogSink {
    let lines = Locked<[(LogLevel, String, String)]>([])
    let written = AsyncStream<Void>.makeStream()

    func log(_ level: LogLevel, about: String, line: String) {
        lines.with { $0.append((level, about, line)) }
        written.continuation.yield()
    }
}

private final class Screen: Lifecycle {
    let life = Locked<AppLife?>(nil)
    let events = AsyncStream<String>.makeStream()

    func watch(_ life: AppLife) throws {
        self.life.with { $0 = life }
        events.continuation.yield("watched")
    }

    func unwatch() throws { events.continuation.yield("unwatched") }
}

@Suite("What a platform does for the core")
struct PlatformTests {
    @Test("A key store makes a device the same after each start")
    func sameDevice() throws {
        let drawer = Drawer()
        let ids = try (0..<2).map { _ in
            let node = try ExoNode.join(.alone, platform: Platform(keys: drawer))
            defer { node.close() }
            #expect(try node.notes == [])
            return try node.id
        }
        #expect(ids[0] == ids[1])
        #expect(drawer.kept.now == ids[0])
    }

    @Test("A key store that is full gives an identity for this run, and a note says so")
    func fullDrawer() throws {
        let drawer = Drawer(refusal: ExoError(.storage, "no room"))
        let node = try ExoNode.join(.alone, platform: Platform(keys: drawer))
        #expect(try node.notes.contains { $0.contains("no room") })
        node.close()
    }

    @Test("A key store that cannot be read is an error with the kind that it gave")
    func brokenDrawer() async throws {
        let locked = Platform(keys: Broken(error: ExoError(.notPermitted, "unlock the phone")))
        let error = try await error { try ExoNode.join(.alone, platform: locked) }
        #expect(error.isPermission)
        #expect(error.reason == "unlock the phone")
    }

    @Test("A key store that throws something of its own is a fault of the app")
    func foreignDrawer() async throws {
        let error = try await error { try ExoNode.join(.alone, platform: Platform(keys: Broken(error: TooLate()))) }
        #expect(error.kind == .foreign)
        #expect(error.reason.contains("TooLate"))
    }

    @Test("A log hears what the core does")
    func log() async throws {
        let pages = Pages()
        let node = try ExoNode.join(.alone, platform: Platform(log: pages))
        for await _ in pages.written.stream { break }
        let (_, about, line) = try #require(pages.lines.now.first)
        #expect(!about.isEmpty)
        #expect(!line.isEmpty)
        node.close()
    }

    @Test("A lifecycle tells when the app is hidden, until the node is over")
    func lifecycle() async throws {
        let screen = Screen()
        var options = JoinOptions.alone
        options.policy = Policy(foregroundOnly: true, settle: .zero)
        var events = screen.events.stream.makeAsyncIterator()
        let node = try ExoNode.join(options, platform: Platform(lifecycle: screen))
        #expect(await events.next() == "watched")
        let life = try #require(screen.life.now)
        // Nobody has said yet whether the app is on the screen, and what is not known is a no.
        let untold = try await first(of: node.conditions) { !$0.allowance.admits }
        #expect(untold.allowance.reasons.contains { $0.rule == .foregroundOnly && $0.verdict == .unknown })
        try life.shown(true)
        _ = try await first(of: node.conditions) { $0.allowance.admits }
        try life.shown(false)
        let hidden = try await first(of: node.conditions) { !$0.allowance.admits }
        #expect(hidden.allowance.reasons.contains { $0.rule == .foregroundOnly && $0.verdict == .denied })
        node.close()
        #expect(await events.next() == "unwatched")
        try life.shown(true)
    }

    @Test("A directory that finds a service is heard")
    func found() async throws {
        let directory = FakeDiscovery { listener in
            let addresses = ["fe80::1%en0", "192.0.2.7"]
            try listener.resolved(
                Service(name: "mac", addresses: addresses, interface: 1, port: 52414, txt: ["role": "router"]))
            #expect(throws: ExoError.self) { try listener.resolved(Service(name: "mac", addresses: ["no"], port: 1)) }
        }
        let options = JoinOptions(only: [.dnsSd], measuresLinks: false)
        let node = try ExoNode.join(options, platform: Platform(discovery: directory))
        let search = try await first(of: node.searches) { $0.contains { $0.note.contains("1 _exo._tcp") } }
        #expect(search.first { $0.provider == .dnsSd }?.activity == .searching)
        node.close()
    }

    @Test("A directory that is not permitted is shown as blocked")
    func denied() async throws {
        let directory = FakeDiscovery { _ in throw ExoError(.notPermitted, "the local network is not allowed") }
        let options = JoinOptions(only: [.dnsSd], measuresLinks: false)
        let node = try ExoNode.join(options, platform: Platform(discovery: directory))
        let search = try await first(of: node.searches) { $0.contains { $0.activity == .blocked } }
        let note = try #require(search.first { $0.provider == .dnsSd }).note
        #expect(note.contains("the local network is not allowed"))
        node.close()
    }
}
