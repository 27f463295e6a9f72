import ExoMobile
import Foundation
import Testing

@Suite("A host of models", .serialized)
struct ModelHostTests {
    @Test("lists a model with what it costs, loads it with progress, and costs what it said")
    func loads() async throws {
        let host = try await ModelHost.open(.tiny)
        #expect(try host.device.backend == .cpu)
        let listed = try #require(try await host.models().first)
        #expect(listed.id == tiny)
        #expect(listed.bytes > 100_000)
        #expect(listed.refusal == nil)
        #expect(!listed.isLoaded && !listed.isOffered)
        #expect(try host.used == 0)

        let heard = Locked<[LoadProgress]>([])
        let model = try await host.load(tiny) { progress in heard.with { $0.append(progress) } }
        #expect(heard.now.last.map { [$0.layers, $0.of] } == [3, 3])
        #expect(model.id == tiny)
        #expect(model.context == 2048)
        #expect(model.memory == listed.memory)
        #expect(try host.used == model.memory)
        #expect(try await host.models().map(\.isLoaded) == [true])
        model.close()
        try await host.settled()
        #expect(try host.used == 0)
        host.close()
    }

    @Test("loads a model once for all who want it, and lets go with the last of them")
    func shares() async throws {
        let host = try await ModelHost.open(.tiny)
        let (one, two) = (try await host.load(tiny), try await host.load(tiny))
        #expect(try host.used == one.memory)
        one.close()
        #expect(try await two.ask(.short).text() != "")
        two.close()
        try await host.settled()
        #expect(try host.used == 0)
    }

    @Test("lets go of a model whose load is cancelled, and loads it again")
    func cancelledLoad() async throws {
        let host = try await ModelHost.open(.tiny)
        let loading = Task {
            try await host.load(tiny) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        #expect(try await error { try await loading.value }.kind == .cancelled)
        try await host.settled()
        #expect(try host.used == 0)
        let model = try await host.load(tiny)
        #expect(try await model.ask(.short).text() != "")
        model.close()
        try await host.settled()
        #expect(try host.used == 0)
    }

    @Test("loads nothing in a task that was cancelled before")
    func cancelledBefore() async throws {
        let host = try await ModelHost.open(.tiny)
        let loading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await host.load(tiny)
        }
        #expect(try await error { try await loading.value }.kind == .cancelled)
        try await host.settled()
        #expect(try host.used == 0)
    }

    @Test("says of what is not there what is, and of what is no name that it is none")
    func wrongNames() async throws {
        let host = try await ModelHost.open(.tiny)
        let missing = try await error { try await host.load("a/b") }
        #expect(missing.kind == .notFound)
        #expect(missing.reason.contains(tiny))
        #expect(try await error { try await host.load("../up") }.kind == .invalidArgument)
        #expect(try await error { try host.offer(["../up"]) }.kind == .invalidArgument)
        var options = ModelHost.Options.tiny
        options.context = -1
        #expect(try await error { try await ModelHost.open(options) }.kind == .invalidArgument)
        options = .tiny
        options.gpu = Gpu.Options(backend: .cpu, device: "no such device")
        #expect(try await error { try await ModelHost.open(options) }.kind == .noDevice)
    }

    @Test("says of a model that cannot be loaded why not, in the list and to who tries")
    func broken() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("exo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = folder.appendingPathComponent("somebody--broken")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        for file in ["config.json", "model.safetensors"] {
            try Data("{}".utf8).write(to: model.appendingPathComponent(file))
        }
        let host = try await ModelHost.open(.init(directory: folder.path, gpu: .cpu))
        let listed = try #require(try await host.models().first)
        #expect(listed.id == "somebody/broken")
        #expect(listed.memory == nil)
        #expect(listed.refusal?.isEmpty == false)
        #expect(try await error { try await host.load("somebody/broken") }.kind == .unsupported)
    }

    @Test("of an empty directory has no models, and of one that is not there too")
    func empty() async throws {
        let host = try await ModelHost.open(.init(directory: "/nonexistent", gpu: .cpu))
        #expect(try await host.models().isEmpty)
    }

    @Test("offers nothing until the owner says so")
    func offers() async throws {
        let host = try await ModelHost.open(.tiny)
        #expect(try host.offered.isEmpty)
        try host.offer([tiny])
        #expect(try host.offered == [tiny])
        #expect(try await host.models().map(\.isOffered) == [true])
        try host.offer([])
        #expect(try host.offered.isEmpty)
    }

    @Test("says what its models gave back when memory is short, and nothing where none is loaded")
    func relieves() async throws {
        let host = try await ModelHost.open(.tiny)
        #expect(try await host.relieve().isEmpty)
        let model = try await host.load(tiny)
        let reliefs = try await host.relieve()
        #expect(reliefs.allSatisfy { $0.model == tiny && !$0.what.isEmpty })
        #expect(try await host.models().map(\.isLoaded) == [true])
        model.close()
        host.close()
    }

    @Test("that was closed says so, and closes again without complaint")
    func closed() async throws {
        let host = try await ModelHost.open(.tiny)
        let model = try await host.load(tiny)
        host.close()
        host.close()
        #expect(try await error { try host.device }.kind == .closed)
        #expect(try await error { try host.used }.kind == .closed)
        #expect(try await error { try await host.models() }.kind == .closed)
        #expect(try await error { try host.offer([]) }.kind == .closed)
        #expect(try await error { try await host.relieve() }.kind == .closed)
        #expect(try await error { try await host.load(tiny) }.kind == .closed)
        #expect(try await error { try await model.ask(.short).text() }.kind == .closed)
        #expect(try await error { try ExoNode.join(.alone, platform: Platform(models: host)) }.kind == .closed)
    }

    @Test("and its models may be closed and dropped in every order, from any thread")
    func orders() async throws {
        for order in 0..<6 {
            let host = try await ModelHost.open(.tiny)
            let (one, two) = (try await host.load(tiny), try await host.load(tiny))
            var ends: [@Sendable () -> Void] = [host.close, one.close, two.close]
            ends.swapAt(0, order % 3)
            if order >= 3 { ends.swapAt(1, 2) }
            await withTaskGroup(of: Void.self) { group in
                for end in ends { group.addTask { end() } }
            }
            for end in ends { end() }
            #expect(try await error { try await one.ask(.short).text() }.kind == .closed)
            #expect(try await error { try await two.ask(.short).text() }.kind == .closed)
        }
    }

    @Test("is held by its models, and a model by its answers")
    func held() async throws {
        let model = try await ModelHost.open(.tiny).load(tiny)
        #expect(try await model.ask(.short).text() != "")
        let answer = try await ModelHost.open(.tiny).load(tiny).ask(.short)
        #expect(try await answer.text() != "")
    }
}
