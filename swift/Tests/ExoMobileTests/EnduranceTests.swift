import ExoMobile
import Testing

#if os(Linux)
    @Suite("Over a long time", .serialized)
    struct EnduranceTests {
        /// Memory after the second half of the work, in bytes beyond that after the first.
        private func growth(_ times: Int, _ work: () async throws -> Void) async throws -> Int {
            for _ in 0..<times / 2 { try await work() }
            let before = try residentBytes()
            for _ in 0..<times / 2 { try await work() }
            return try residentBytes() - before
        }

        @Test("a hundred thousand calls leave nothing behind")
        func calls() async throws {
            let gpu = try await Gpu.open(.cpu)
            let buffer = try gpu.allocate(bytes: 64)
            let grown = try await growth(100_000) {
                _ = try buffer.size
                _ = try? buffer.readData(count: 65)
            }
            #expect(grown < 4 << 20)
        }

        @Test("a thousand GPUs with a buffer each, opened and closed or dropped, leave nothing behind")
        func opens() async throws {
            var turn = 0
            let grown = try await growth(1000) {
                let gpu = try await Gpu.open(.cpu)
                let buffer = try gpu.allocate(bytes: 1 << 16)
                try buffer.write([Float](repeating: 1, count: 1 << 14))
                turn += 1
                if turn.isMultiple(of: 2) { gpu.close() }
            }
            #expect(grown < 16 << 20)
        }

        @Test("a thousand questions, answered or left, leave nothing behind")
        func questions() async throws {
            let model = try await ModelHost.open(.tiny).load(tiny)
            let question = Question(messages: [ChatMessage(.user, "Rain?")], maxTokens: 2, temperature: 0)
            var turn = 0
            let grown = try await growth(1000) {
                turn += 1
                for try await _ in model.ask(question) where turn.isMultiple(of: 2) { break }
            }
            #expect(grown < 4 << 20)
        }

        @Test("a thousand nodes that come and go, with code of the app, leave nothing behind")
        func nodes() async throws {
            let grown = try await growth(1000) {
                let platform = Platform(probe: FakeProbe { _ in Readings() })
                let node = try ExoNode.join(.alone, platform: platform)
                _ = try await first(of: node.conditions) { _ in true }
                node.close()
            }
            #expect(grown < 4 << 20)
        }
    }
#endif
