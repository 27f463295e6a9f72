import ExoMobile
import Testing

@Suite("An answer", .serialized)
struct AnswerTests {
    @Test("comes piece by piece: what was read, what is said, and what it took")
    func pieces() async throws {
        let model = try await ModelHost.open(.tiny).load(tiny)
        var (read, text, ends) = (0, "", [Answer.End]())
        for try await piece in model.ask(.short) {
            #expect(ends.isEmpty)
            switch piece {
            case .reading(let done, let total):
                #expect(done <= total)
                read = done
            case .text(let more, _): text += more
            case .end(let end): ends.append(end)
            }
        }
        let end = try #require(ends.first)
        #expect(!text.isEmpty)
        #expect(end.promptTokens == read)
        #expect(end.completionTokens == 6)
        #expect(end.finish == .length)
        #expect(end.firstAfter > .zero && end.firstAfter <= end.took)
        #expect(try await model.ask(.short).text() == text)
    }

    @Test("continues a conversation, with what its question says")
    func conversation() async throws {
        let model = try await ModelHost.open(.tiny).load(tiny)
        var question = Question(
            messages: [
                ChatMessage(.system, "You are a poet."), ChatMessage(.user, "What is rain?"),
                ChatMessage(.assistant, "Falling water."), ChatMessage(.user, "And snow?"),
            ],
            maxTokens: 8, temperature: 1, topP: 0.9, topK: 20, minP: 0.01, seed: 7, thinking: false)
        let first = try await model.ask(question).text()
        #expect(try await model.ask(question).text() == first)
        question.seed = 8
        question.temperature = 2
        question.topK = nil
        #expect(try await model.ask(question).text() != first)
    }

    @Test("may be one of several at once, each the same as alone")
    func several() async throws {
        let model = try await ModelHost.open(.tiny).load(tiny)
        let questions = (0..<4).map { Question(messages: [.init(.user, "Say \($0)")], maxTokens: 20, temperature: 0) }
        var alone: [String] = []
        for question in questions { alone.append(try await model.ask(question).text()) }
        let together = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (at, question) in questions.enumerated() {
                group.addTask { (at, try await model.ask(question).text()) }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        #expect(together.count == 4)
        for (at, words) in alone.enumerated() { #expect(together[at] == words) }
    }

    /// The model has room for one such answer at a time: one that went on would keep the next waiting to its end.
    @Test("that is cancelled or left costs not a token more", arguments: ["cancelled", "left"])
    func cancelled(how: String) async throws {
        let host = try await ModelHost.open(.tiny)
        let model = try await host.load(tiny)
        var whole = Duration.zero
        for try await case .end(let end) in model.ask(.long) { whole = end.took }
        let begun = ContinuousClock.now
        for _ in 0..<20 {
            let asking = Task {
                var ended = false
                for try await piece in model.ask(.long) {
                    if case .end = piece { ended = true }
                    guard case .text = piece else { continue }
                    if how == "left" { break }
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                return ended
            }
            #expect(try await asking.value == false)
        }
        #expect(try await model.ask(.short).text() != "")
        #expect(ContinuousClock.now - begun < whole * 3)
        model.close()
        try await host.settled()
        #expect(try host.used == 0)
    }

    @Test("as a whole text says that it was cancelled")
    func cancelledText() async throws {
        let model = try await ModelHost.open(.tiny).load(tiny)
        let asking = Task { try await model.ask(.long).text() }
        asking.cancel()
        #expect(try await error { try await asking.value }.kind == .cancelled)
        #expect(try await model.ask(.short).text() != "")
    }

    @Test("ends with an error when its model or its host is closed under it", arguments: ["model", "host"])
    func closed(what: String) async throws {
        let host = try await ModelHost.open(.tiny)
        let model = try await host.load(tiny)
        let begun = AsyncStream<Void>.makeStream()
        let asking = Task {
            for try await _ in model.ask(.long) { begun.continuation.yield() }
        }
        for await _ in begun.stream { break }
        what == "model" ? model.close() : host.close()
        #expect(try await error { try await asking.value }.kind == .closed)
    }

    @Test("to a question that can never work is an error that says so")
    func badQuestions() async throws {
        let model = try await ModelHost.open(.tiny).load(tiny)
        #expect(try await error { try await model.ask(Question("?", maxTokens: -1)).text() }.kind == .invalidArgument)
        let endless = Question(String(repeating: "rain ", count: 5000))
        #expect(try await error { try await model.ask(endless).text() }.kind == .invalidArgument)
        #expect(try await model.ask(.short).text() != "")
    }
}
