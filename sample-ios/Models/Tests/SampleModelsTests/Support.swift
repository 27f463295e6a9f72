import ExoMobile
import Foundation
import Observation
import SampleModels
import Testing

struct TooLate: Error {}

/// Waits until it is so. Nothing is waited for longer than a broken test may take.
@MainActor
func until(within: Duration = .seconds(60), _ isSo: () -> Bool) async throws {
    let changes = AsyncStream<Void>.makeStream()
    let clock = Task {
        try await Task.sleep(for: within)
        changes.continuation.finish()
    }
    defer { clock.cancel() }
    var turn = changes.stream.makeAsyncIterator()
    // The change is told before it is made; by the time that this actor comes here again, it was.
    while !withObservationTracking(isSo, onChange: { changes.continuation.yield() }) {
        guard await turn.next() != nil else { throw TooLate() }
    }
}

/// A probe that tells what it is told.
struct FakeProbe: Probe {
    var readings = Readings()

    func identity() throws -> DeviceIdentity {
        DeviceIdentity(
            name: "Ada's phone", model: "iPhone17,1", chip: "A18 Pro", osVersion: "iOS 18.2", osBuild: "22C152",
            vendor: "Apple", type: .mobileIos)
    }

    func read(_ wanted: Set<Readings.Group>) throws -> Readings { readings }
}

/// The system's daemon, when the owner refused the local network.
struct Denied: DiscoveryProvider {
    func browse(_ serviceType: String, _ listener: ServiceListener) throws {
        throw ExoError(.notPermitted, "the local network is not allowed for this app")
    }

    func stopBrowsing() throws {}
    func advertise(_ advertisement: Advertisement) throws {}
    func withdraw() throws {}
}

/// An app in a folder of its own, whose node searches on this machine alone: beside the peer that plays exo
/// (tests/peer/beside), or where nobody answers.
@MainActor
func app(
    _ readings: Readings = Readings(), alone: Bool = false, folder: URL = .temporary, longest: Int = 1024,
    adjust: @escaping (inout JoinOptions) -> Void = { _ in }
) -> SampleModel {
    let membership = Membership(platform: { Platform(probe: FakeProbe(readings: readings), discovery: Denied()) })
    let chat = Chat(folder: .tinyModels, gpu: .init(backend: .cpu), longest: longest)
    return SampleModel(folder: folder, membership: membership, chat: chat) { options in
        options.only = [.loopback]
        options.discoveryPort = alone ? 9 : nil
        options.measuresLinks = false
        adjust(&options)
    }
}

/// A model of random weights, which talks nonsense: scripts/lib/native.sh writes it.
let tiny = "exo-mobile/tiny-random"

extension URL {
    /// The directory with that model.
    static var tinyModels: URL {
        URL(fileURLWithPath: ProcessInfo.processInfo.environment["EXO_TINY_MODELS"] ?? "/EXO_TINY_MODELS is not set")
    }

    static var temporary: URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("exo-sample-\(UUID().uuidString)")
    }
}

extension Trait where Self == ConditionTrait {
    /// For what needs a cluster.
    static var besideExo: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["EXO_BESIDE"] != nil,
            "it needs Linux and the peer that plays exo: ./scripts/test samples")
    }
}
