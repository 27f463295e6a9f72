import ExoMobile
import Testing

@Suite("A stream")
struct UpdatesTests {
    @Test("gives the value that holds now first")
    func begins() async throws {
        let node = try ExoNode.join(.alone)
        #expect(try await first(of: node.states) { _ in true } == .searching)
        node.close()
    }

    @Test("ends when the task that waits for it is cancelled")
    func cancelled() async throws {
        let node = try ExoNode.join(.alone)
        let begun = AsyncStream<Void>.makeStream()
        let waiting = Task {
            var seen = 0
            for try await _ in node.states {
                seen += 1
                begun.continuation.yield()
            }
            return seen
        }
        // It has the value that holds now, and nobody answers: from here on it waits.
        for await _ in begun.stream { break }
        waiting.cancel()
        #expect(try await waiting.value == 1)
        #expect(try node.state == .searching)
        node.close()
    }

    @Test("ends at once in a task that was cancelled before it began")
    func cancelledBefore() async throws {
        let node = try ExoNode.join(.alone)
        let waiting = Task {
            try? await Task.sleep(for: .seconds(60))
            for try await _ in node.troubles {}
        }
        waiting.cancel()
        try await waiting.value
        node.close()
    }

    @Test("ends when the node is closed under it")
    func closed() async throws {
        let node = try ExoNode.join(.alone)
        let (states, clusters, searches) = (node.states, node.clusters, node.searches)
        let (conditions, telemetries, troubles) = (node.conditions, node.telemetries, node.troubles)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for try await _ in states {} }
            group.addTask { for try await _ in clusters {} }
            group.addTask { for try await _ in searches {} }
            group.addTask { for try await _ in conditions {} }
            group.addTask { for try await _ in telemetries {} }
            group.addTask { for try await _ in troubles {} }
            _ = try await first(of: node.conditions) { _ in true }
            node.close()
            try await group.waitForAll()
        }
    }

    @Test("holds a node that nobody else holds", .besideExo)
    func holds() async throws {
        var seen: [NodeState] = []
        for try await state in try ExoNode.join(.beside("swift-held")).states {
            seen.append(state)
            if state.isJoined { break }
        }
        #expect(seen.last?.isJoined == true)
    }

    @Test("may be left, and begun again")
    func again() async throws {
        let node = try ExoNode.join(.alone)
        for _ in 0..<3 {
            for try await state in node.states {
                #expect(state == .searching)
                break
            }
        }
        node.close()
    }
}
