import ExoMobile
import Foundation
import Testing

@testable import SampleModels

@MainActor @Suite("The screen Chat", .serialized)
struct ChatTests {
    @Test("says that there is no model yet, and where one goes")
    func noModel() async {
        let folder = URL.temporary
        let chat = Chat(folder: folder, gpu: .init(backend: .cpu))
        #expect(ChatScreen(chat.seen).standing.headline == "Looking for models")
        await chat.look()
        let screen = ChatScreen(chat.seen)
        #expect(screen.standing.headline == "No model yet")
        #expect(screen.standing.sentence.contains("Application Support/Models"))
        #expect(screen.choices.isEmpty && !screen.canAsk && !screen.canStop)
        #expect(FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("says why no device computes")
    func noDevice() async {
        let chat = Chat(folder: .temporary, gpu: .init(backend: .cpu, device: "no such device"))
        await chat.look()
        #expect(ChatScreen(chat.seen).standing.headline == "That did not work")
        #expect(ChatScreen(chat.seen).standing.tone == .bad)
    }

    @Test("lists a model with its cost, loads it, and shows its answer as it is made, with its pace at the end")
    func answers() async throws {
        let app = app(longest: 64)
        await app.chat.look()
        #expect(app.talk.standing.headline == "Choose a model")
        let choice = try #require(app.talk.choices.first)
        #expect(choice.isPossible && !choice.isChosen)
        #expect(choice.line.detail.hasPrefix("Would use ") && choice.line.figure.hasSuffix("B"))

        app.chat.choose(choice.id)
        #expect(app.talk.standing.headline == "Loading")
        try await until { app.talk.canAsk }
        #expect(app.talk.choices.first?.isChosen == true)
        app.chat.typed = "  "
        app.chat.ask()
        #expect(app.talk.turns.isEmpty)

        app.chat.typed = " What is rain? "
        app.chat.ask()
        #expect(app.chat.typed.isEmpty)
        #expect(app.talk.standing.headline == "Answering")
        var seen: Set<String> = []
        try await until {
            seen.insert(app.talk.turns.last?.text ?? "")
            return app.talk.turns.last?.note.contains("tokens per second") == true && app.talk.canAsk
        }
        #expect(seen.count > 2)
        #expect(app.talk.turns.map(\.isMine) == [true, false])
        #expect(app.talk.turns.first?.text == "What is rain?")
        #expect(app.talk.turns.last?.spoken.hasPrefix("The model: ") == true)

        app.chat.letGo()
        try await until { app.talk.standing.headline == "Choose a model" }
    }

    @Test("stops an answer, keeps what was said, and answers again")
    func stops() async throws {
        let app = try await ready()
        app.chat.typed = "What is rain?"
        app.chat.ask()
        try await until { app.talk.turns.last?.text.isEmpty == false }
        #expect(app.talk.canStop && !app.talk.canAsk)
        app.chat.stop()
        try await until { app.talk.canAsk }
        let stopped = try #require(app.talk.turns.last)
        #expect(stopped.note == "Stopped")
        #expect(!stopped.text.isEmpty)
        app.chat.typed = "And snow?"
        app.chat.ask()
        try await until { app.talk.turns.count == 4 && app.talk.turns.last?.text.isEmpty == false }
        app.chat.letGo()
        app.chat.clear()
        #expect(app.talk.turns.isEmpty)
    }

    @Test("rests while nobody sees it: the model goes, comes back, and is served as before")
    func rests() async throws {
        let app = try await ready()
        app.serve(true)
        app.chat.typed = "What is rain?"
        app.chat.ask()
        app.chat.rest()
        let host = try #require(app.chat.host)
        #expect(try await host.relieve().isEmpty, "no model is loaded")
        #expect(!app.talk.canAsk && !app.talk.canStop)
        app.comeBack()
        try await until { app.talk.canAsk }
        #expect(app.talk.choices.first?.isChosen == true)
        #expect(app.serving?.isOn == true)
        #expect(try host.offered == [tiny])
        app.chat.letGo()
        app.comeBack()
        #expect(app.talk.standing.headline == "Choose a model", "what the owner let go of stays so")
    }

    @Test("gives memory back where it is short and no node would see to it")
    func relieves() async throws {
        let app = try await ready()
        app.chat.typed = String(repeating: "a quiet river and an old stone road ", count: 8)
        app.chat.ask()
        try await until { app.talk.turns.last?.text.isEmpty == false }
        app.chat.stop()
        try await until { app.talk.canAsk }
        let host = try #require(app.chat.host)
        let before = try host.used
        await app.relieve()
        #expect(try host.used < before)
        app.chat.letGo()
    }

    @Test("asks without the questions that nobody answered")
    func unanswered() {
        var seen = ChatSeen()
        let said: [(ChatMessage.Role, String)] = [
            (.user, "What is rain?"), (.assistant, ""), (.user, "And snow?"), (.assistant, "Cold."), (.user, "Why?"),
        ]
        seen.turns = said.enumerated().map { Turn(id: $0.offset, role: $0.element.0, text: $0.element.1) }
        let asked = [
            ChatMessage(.user, "And snow?"), ChatMessage(.assistant, "Cold."), ChatMessage(.user, "Why?"),
        ]
        #expect(seen.messages == asked)
    }

    @Test("shows what went wrong with an answer, and lets the owner ask again")
    func fails() async throws {
        let app = try await ready()
        app.chat.typed = String(repeating: "rain ", count: 20000)
        app.chat.ask()
        try await until { app.talk.canAsk }
        let failed = try #require(app.talk.turns.last)
        #expect(failed.tone == .bad)
        #expect(failed.text.isEmpty && failed.note.hasSuffix("."))
        app.chat.clear()
        app.chat.typed = "What is rain?"
        app.chat.ask()
        try await until { app.talk.turns.last?.text.isEmpty == false }
        app.chat.letGo()
    }

    @Test("shows why a model cannot be loaded, in the list and when it is tried")
    func broken() async throws {
        let folder = URL.temporary
        let model = folder.appendingPathComponent("somebody--broken")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        for file in ["config.json", "model.safetensors"] {
            try Data("{}".utf8).write(to: model.appendingPathComponent(file))
        }
        let chat = Chat(folder: folder, gpu: .init(backend: .cpu))
        await chat.look()
        let choice = try #require(ChatScreen(chat.seen).choices.first)
        #expect(!choice.isPossible)
        #expect(choice.line.tone == .warn && choice.line.detail.hasSuffix("."))
        chat.choose(choice.id)
        try await until { ChatScreen(chat.seen).standing.headline == "That did not work" }
    }

    @Test("gives up a load when another is chosen or the owner lets go")
    func givesUp() async throws {
        let app = app()
        await app.chat.look()
        app.chat.choose(tiny)
        app.chat.choose(tiny)
        try await until { app.talk.canAsk }
        app.chat.choose(tiny)
        app.chat.letGo()
        #expect(app.talk.standing.headline == "Choose a model")
    }

    @Test("shows what serving costs before it is on, from how the phone is")
    func costs() async throws {
        var readings = Readings()
        readings.battery.level = .measured(0.81)
        readings.battery.charging = .measured(false)
        readings.thermal.status = .measured(.light)
        readings.network.kind = .measured(.wifi)
        let app = app(readings, alone: true)
        #expect(app.serving == nil)
        await app.chat.look()
        app.chat.choose(tiny)
        try await until { app.talk.canAsk }
        app.join()
        try await until { app.phone.curve != nil }
        let serving = try #require(app.serving)
        #expect(!serving.isOn)
        #expect(serving.costs.map(\.title) == ["Memory", "Heat", "Battery"])
        #expect(serving.costs[0].figure.hasSuffix("B"))
        #expect(serving.costs[1].figure == "light")
        #expect(serving.costs[1].detail.hasPrefix("Answers warm the phone. In "))
        #expect(serving.costs[2].figure == "81 %")
        #expect(serving.costs[2].detail == "Answers drain it. Not being charged.")
        #expect(serving.costs[2].tone == .warn)
        await app.leave()
    }

    @Test("lets the cluster have the model when the switch is turned on, and takes it back", .besideExo)
    func serves() async throws {
        var readings = Readings()
        readings.memory.total = .measured(8_000_000_000)
        readings.memory.available = .measured(3_000_000_000)
        readings.battery.level = .measured(0.81)
        readings.network.kind = .measured(.wifi)
        readings.network.metered = .measured(false)
        let app = app(readings) { $0.policy.settle = .zero }
        app.join()
        try await until { app.cluster.standing.headline == "Joined" }
        #expect(!app.membership.isGivenModels)
        await app.chat.look()
        app.chat.choose(tiny)
        try await until { app.talk.canAsk }
        app.serve(true)
        #expect(app.serving?.isOn == true)
        #expect(app.membership.isGivenModels)
        #expect(try app.chat.host?.offered == [tiny])
        try await until { app.membership.seen.cluster?.thisDevice?.backends.isEmpty == false }
        try await until { app.serving?.sentence.hasPrefix("The cluster may ask it") == true }
        app.serve(false)
        #expect(app.serving?.isOn == false)
        try await until { app.membership.seen.cluster?.thisDevice?.backends.isEmpty == true }

        app.serve(true)
        app.chat.letGo()
        #expect(try app.chat.host?.offered == [])
        await app.leave()
    }

    private func ready() async throws -> SampleModel {
        let app = app()
        await app.chat.look()
        app.chat.choose(tiny)
        try await until { app.talk.canAsk }
        return app
    }
}
