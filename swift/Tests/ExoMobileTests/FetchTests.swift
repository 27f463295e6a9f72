import Foundation
import Testing

@testable import ExoMobile

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A model comes to this device through the system's own client, from a server that does what servers do.
@Suite("A model on its way", .serialized)
struct FetchTests {
    @Test("comes with progress, and can be asked then")
    func comes() async throws {
        try await fetching { host, server in
            #expect(try await host.models().isEmpty)
            let last = try #require(try await all(host.fetch(tiny, from: server.base)).last)
            #expect(last.done == last.total && last.filesDone == last.files && last.files >= 3)
            #expect(last.fresh == last.total && last.total > 100_000)
            let model = try await host.load(tiny)
            #expect(try await model.ask(.short).text() != "")
            model.close()
        }
    }

    @Test("is brought by the cluster while the app lends its client, and from no server that is none")
    func cluster() async throws {
        try await fetching { host, server in
            try host.fetchForCluster(with: URLSessionFetcher(), from: server.base, anyModel: true)
            try host.fetchForCluster(with: nil)
            let wrong = try await error { try host.fetchForCluster(with: URLSessionFetcher(), from: "ftp://x") }
            #expect(wrong.kind == .invalidArgument)
        }
    }

    @Test("goes on where an answer was cut")
    func cut() async throws {
        try await fetching(.init(cuts: 2)) { host, server in
            try await all(host.fetch(tiny, from: server.base))
            #expect(server.seen.now.ranges.count >= 2)
            #expect(try await host.models().map { $0.memory != nil } == [true])
        }
    }

    @Test("stops when the loop is left, and the next one goes on with what came")
    func left() async throws {
        try await fetching(.init(holds: true)) { host, server in
            for try await progress in host.fetch(tiny, from: server.base) where progress.done > progress.total / 4 {
                break
            }
            try await next(of: server.hangUps.stream)
            let other = try ModelServer()
            defer { other.close() }
            let last = try #require(try await all(host.fetch(tiny, from: other.base)).last)
            #expect(last.done == last.total && last.fresh < last.total)
            #expect(!other.seen.now.ranges.isEmpty)
        }
    }

    @Test("stops with its task, which hears that it was cancelled")
    func cancelled() async throws {
        try await fetching(.init(holds: true)) { host, server in
            let task = Task {
                for try await progress in host.fetch(tiny, from: server.base) where progress.done > progress.total / 4 {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            #expect(try await error { try await task.value }.kind == .cancelled)
            try await next(of: server.hangUps.stream)
            #expect(try await host.delete(tiny))
        }
    }

    @Test("may be stopped at any moment, also between two servers")
    func anyMoment() async throws {
        let other = try ModelServer()
        defer { other.close() }
        try await fetching(.init(sendsTo: other.base)) { host, server in
            for moment in 0..<40 {
                let task = Task { try await all(host.fetch(tiny, from: server.base)) }
                try await Task.sleep(for: .microseconds(moment * 400))
                task.cancel()
                if case .failure(let error) = await task.result {
                    #expect((error as? ExoError)?.kind == .cancelled, "\(error)")
                }
            }
            try await all(host.fetch(tiny, from: server.base))
            #expect(try await host.models().map { $0.memory != nil } == [true])
        }
    }

    @Test("shows a token to the server that it was meant for, and to no other")
    func token() async throws {
        let other = try ModelServer()
        defer { other.close() }
        try await fetching(.init(sendsTo: other.base)) { host, server in
            try await all(host.fetch(tiny, from: server.base, token: "hf_secret"))
            #expect(server.seen.now.tokens.allSatisfy { $0 == "Bearer hf_secret" })
            #expect(!server.seen.now.tokens.isEmpty && other.seen.now.tokens.isEmpty)
        }
    }

    @Test("that a server does not have, or not for us, or that is nowhere, is told by its kind")
    func kinds() async throws {
        try await fetching { host, server in
            let missing = try await error { try await all(host.fetch("a/b", from: server.base)) }
            #expect(missing.kind == .notFound)
            let wrong = try await error { try await all(host.fetch(tiny, from: "ftp://x")) }
            #expect(wrong.kind == .invalidArgument)
            #expect(try await error { try await all(host.fetch("../up")) }.kind == .invalidArgument)
            host.close()
            #expect(try await error { try await all(host.fetch(tiny, from: server.base)) }.kind == .closed)
            #expect(try await error { try await host.delete(tiny) }.kind == .closed)
        }
        try await fetching(.init(status: 401)) { host, server in
            let refused = try await error { try await all(host.fetch(tiny, from: server.base)) }
            #expect(refused.kind == .notPermitted)
        }
    }

    @Test("is asked for again where a server said nothing for too long")
    func silent() async throws {
        try await fetching(.init(silences: 1)) { host, server in
            let impatient = URLSessionFetcher(patience: .seconds(1))
            try await all(host.fetch(tiny, with: impatient, from: server.base))
            try await next(of: server.hangUps.stream)
        }
    }

    @Test("through a client of the app's own that throws is one whose server did not answer")
    func throwing() async throws {
        struct Broken: Fetcher {
            func get(_ request: FetchRequest, into receiver: FetchReceiver) throws {
                #expect(!"\(request)".contains("hf_secret") && request.headers.values.contains("Bearer hf_secret"))
                throw ExoError(.invalidArgument, "no network today")
            }
        }
        try await fetching { host, _ in
            for try await progress in host.fetch(tiny, with: Broken(), token: "hf_secret") {
                #expect(progress.total == 0)
                break
            }
        }
    }

    @Test("is taken off the disk, unless it is loaded")
    func deleted() async throws {
        try await fetching { host, server in
            try await all(host.fetch(tiny, from: server.base))
            let model = try await host.load(tiny)
            #expect(try await error { try await host.delete(tiny) }.kind == .invalidArgument)
            model.close()
            try await host.settled()
            #expect(try await host.delete(tiny))
            #expect(try await !host.delete(tiny))
            #expect(try await host.models().isEmpty)
        }
    }

    #if canImport(FoundationNetworking)
        @Test("waits at the server while there is no room for it here")
        func backPressure() async throws {
            let server = try ModelServer(.init(floods: 256 << 20))
            defer { server.close() }
            let room = DispatchSemaphore(value: 0)
            let url = try #require(URL(string: server.base))
            let transfer = Transfer(of: URLRequest(url: url), head: { _ in true }) { _ in
                room.wait()
                return false
            }
            let over = AsyncStream<Void>.makeStream()
            Thread.detachNewThread {
                try? transfer.run()
                over.continuation.yield()
            }
            try await next(of: server.floods.stream)
            #expect(server.seen.now.sent < 64 << 20)
            room.signal()
            try await next(of: over.stream)
            try await next(of: server.hangUps.stream)
        }
    #endif

    // MARK: The set-up

    /// A host of an empty directory, and a server.
    private func fetching(
        _ habits: ModelServer.Habits = .init(), _ story: (ModelHost, ModelServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("exo-\(UUID().uuidString)")
        let server = try ModelServer(habits)
        let host = try await ModelHost.open(.init(directory: folder.path, gpu: .cpu))
        defer {
            host.close()
            server.close()
            try? FileManager.default.removeItem(at: folder)
        }
        try await story(host, server)
    }

    @discardableResult
    private func all(_ fetching: ModelFetching) async throws -> [FetchProgress] {
        try await fetching.reduce(into: []) { $0.append($1) }
    }

    /// Waits for something that must happen.
    private func next(of events: AsyncStream<Void>, within: Duration = .seconds(30)) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { await events.first { _ in true } != nil }
            group.addTask {
                try await Task.sleep(for: within)
                throw TooLate()
            }
            defer { group.cancelAll() }
            let happened = try await group.next()
            #expect(happened == true)
        }
    }
}

@Suite("Where servers may send us")
struct RedirectTests {
    private func asked(_ url: String) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.setValue("Bearer hf_secret", forHTTPHeaderField: "Authorization")
        request.setValue("bytes=7-", forHTTPHeaderField: "Range")
        return request
    }

    @Test("is another path with the token, and another origin without it")
    func origins() throws {
        var redirects = Redirects(of: try asked("https://hub.example/a"))
        let here = URL(string: "https://hub.example/a")
        for (target, hasToken) in [
            ("https://hub.example/b", true), ("https://HUB.example:443/b", true), ("https://cdn.example/b", false),
            ("https://hub.example:8443/b", false), ("https://hub.example.evil/b", false),
        ] {
            let next = try redirects.follow(from: here, to: URL(string: target))
            #expect(next.url?.absoluteString == target)
            #expect(next.value(forHTTPHeaderField: "Range") == "bytes=7-")
            #expect((next.value(forHTTPHeaderField: "Authorization") != nil) == hasToken, "\(target)")
        }
    }

    @Test("is never http where we came with https, and nothing else ever")
    func downgrades() async throws {
        for (from, to) in [
            ("https://h/a", "http://h/a"), ("HTTPS://h/a", "http://127.0.0.1/a"), ("http://h/a", "file:///etc/passwd"),
            ("https://h/a", "ftp://h/a"), ("https://h/a", "data:,a"),
        ] {
            var redirects = Redirects(of: try asked(from))
            let refusal = try await error { try redirects.follow(from: URL(string: from), to: URL(string: to)) }
            #expect(refusal.kind == .refused)
        }
        var upwards = Redirects(of: try asked("http://h/a"))
        let secure = try upwards.follow(from: URL(string: "http://h/a"), to: URL(string: "https://h/a"))
        #expect(secure.url?.scheme == "https")
    }

    @Test("is ten places, and not eleven")
    func many() async throws {
        var redirects = Redirects(of: try asked("http://h/0"))
        let url = URL(string: "http://h/1")
        for _ in 1...10 { _ = try redirects.follow(from: url, to: url) }
        #expect(try await error { try redirects.follow(from: url, to: url) }.kind == .refused)
    }
}
