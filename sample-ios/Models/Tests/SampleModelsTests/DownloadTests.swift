import ExoMobile
import Foundation
import Testing

@testable import SampleModels

@MainActor @Suite("The row Get a model", .serialized)
struct DownloadTests {
    @Test("gets the model that was written, and it can be chosen then")
    func gets() async throws {
        let app = try await app(FakeHub())
        #expect(app.download?.isComing == false)
        #expect(app.download?.sentence.contains("Hugging Face") == true)
        app.chat.download.typed = " \(tiny) "
        app.chat.get()
        #expect(app.download?.isComing == true && app.download?.part == nil)
        #expect(app.download?.sentence == "\(tiny): asking which files it has.")
        try await until { app.talk.choices.map(\.id) == [tiny] }
        #expect(app.download == nil)
        app.chat.choose(tiny)
        try await until { app.talk.canAsk }
        app.chat.letGo()
    }

    @Test("shows how far it is, stops, and goes on with what came")
    func stops() async throws {
        let folder = URL.temporary
        let app = try await app(FakeHub(holds: true), folder: folder)
        app.chat.download.typed = tiny
        app.chat.get()
        try await until { app.download?.part ?? 0 > 0.2 }
        #expect(app.download?.sentence.contains("kB of ") == true)
        app.chat.download.stop()
        try await until { app.download?.isComing == false }
        #expect(app.download?.sentence.hasPrefix("\(tiny) was stopped. What came stays") == true)

        let again = try await self.app(FakeHub(), folder: folder)
        again.chat.download.typed = tiny
        again.chat.get()
        try await until { again.talk.choices.map(\.id) == [tiny] }
    }

    @Test("says what went wrong in words, and what to do about it")
    func fails() async throws {
        let app = try await app(FakeHub())
        app.chat.download.typed = "  "
        app.chat.get()
        #expect(app.download?.isComing == false)
        app.chat.download.typed = "nobody/nothing"
        app.chat.get()
        try await until { app.download?.tone == .bad }
        #expect(app.download?.sentence.hasPrefix("nobody/nothing: There is no such model.") == true)
        app.chat.download.typed = "../up"
        app.chat.get()
        try await until { app.download?.sentence.hasPrefix("../up: ") == true && app.download?.isComing == false }
        #expect(app.download?.tone == .bad)

        let offline = DownloadScreen(.failed(tiny, ExoError(.unreachable, "no answer")))
        #expect(offline.sentence.hasSuffix("Look whether this phone is online; what came stays."))
        let secret = DownloadScreen(.failed(tiny, ExoError(.notPermitted, "401")))
        #expect(secret.sentence.contains("not for everybody"))
    }

    private func app(_ hub: FakeHub, folder: URL = .temporary) async throws -> SampleModel {
        let chat = Chat(folder: folder, gpu: .init(backend: .cpu), download: Download(fetcher: hub))
        await chat.look()
        return SampleModel(folder: .temporary, membership: Membership(platform: { Platform() }), chat: chat)
    }
}
