import ExoMobile
import Foundation
import Testing

/// What several threads share in a test.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func with<Answer>(_ body: (inout Value) throws -> Answer) rethrows -> Answer {
        try lock.withLock { try body(&value) }
    }

    var now: Value { with { $0 } }
}

struct TooLate: Error {}

/// The first value that fits. Nothing is waited for longer than a broken test may take.
func first<Value>(
    of updates: Updates<Value>, within: Duration = .seconds(30), where fits: @escaping @Sendable (Value) -> Bool
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
            for try await value in updates where fits(value) { return value }
            return nil
        }
        group.addTask {
            try await Task.sleep(for: within)
            throw TooLate()
        }
        defer { group.cancelAll() }
        return try #require(try await group.next() ?? nil)
    }
}

/// What a call throws, which must be our error.
func error<Value>(of call: () async throws -> Value) async throws -> ExoError {
    do {
        _ = try await call()
    } catch let error as ExoError {
        return error
    }
    Issue.record("nothing was thrown")
    throw TooLate()
}

extension JoinOptions {
    /// Searches on this machine alone, where the peer plays exo (tests/peer/beside).
    static func beside(_ name: String) -> JoinOptions {
        JoinOptions(name: name, only: [.loopback], measuresLinks: false)
    }

    /// Searches on this machine alone, where nobody answers.
    static var alone: JoinOptions {
        JoinOptions(only: [.loopback], discoveryPort: 9, measuresLinks: false)
    }
}

extension Trait where Self == ConditionTrait {
    /// For what needs a cluster.
    static var besideExo: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["EXO_BESIDE"] != nil,
            "it needs Linux and the peer that plays exo: ./scripts/test swift")
    }
}

/// A probe that tells what it is told.
struct FakeProbe: Probe {
    var identityTold: @Sendable () throws -> DeviceIdentity = {
        DeviceIdentity(
            name: "Ada's phone", model: "Phone 1", chip: "Chip 1", osVersion: "iOS 18", osBuild: "22A1",
            vendor: "Apple", type: .mobileIos)
    }
    var told: @Sendable (Set<Readings.Group>) throws -> Readings

    func identity() throws -> DeviceIdentity { try identityTold() }
    func read(_ wanted: Set<Readings.Group>) throws -> Readings { try told(wanted) }
}

/// A directory that finds what it is told to, and notes what else it was asked.
final class FakeDiscovery: DiscoveryProvider {
    let found: @Sendable (ServiceListener) throws -> Void
    let asked = Locked<[String]>([])
    let refuses = Locked(false)

    init(found: @escaping @Sendable (ServiceListener) throws -> Void) {
        self.found = found
    }

    func browse(_ serviceType: String, _ listener: ServiceListener) throws {
        #expect(serviceType == "_exo._tcp")
        try found(listener)
    }

    func stopBrowsing() throws { try note("stop") }
    func advertise(_ advertisement: Advertisement) throws { try note("advertise") }
    func withdraw() throws { try note("withdraw") }

    private func note(_ what: String) throws {
        if refuses.now { throw ExoError(.system, "the directory is closed") }
        asked.with { $0.append(what) }
    }
}

/// A model of random weights, which talks nonsense: scripts/lib/native.sh writes it.
let tiny = "exo-mobile/tiny-random"

extension ModelHost.Options {
    /// The directory with that model, on the processor.
    static let tiny = ModelHost.Options(
        directory: ProcessInfo.processInfo.environment["EXO_TINY_MODELS"] ?? "EXO_TINY_MODELS is not set",
        gpu: .cpu, context: 2048)
}

extension ModelHost {
    /// Waits until every order that was given before is taken: they are taken in turn, and this one is refused.
    func settled() async throws {
        #expect(try await error { try await load("nobody/nothing") }.kind == .notFound)
    }
}

extension Question {
    /// Six tokens, the same each time.
    static let short = Question(messages: [ChatMessage(.user, "What is rain?")], maxTokens: 6, temperature: 0)
    /// More than half of the context, so that two such answers are never made at once.
    static let long = Question(messages: [ChatMessage(.user, "What is rain?")], maxTokens: 1500, temperature: 0)
}

#if os(Linux)
    /// Bytes of memory that this process has now.
    func residentBytes() throws -> Int {
        let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(words[1])) * 4096
    }
#endif
