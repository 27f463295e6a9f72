import ExoMobile
import Foundation
import SampleModels
import Testing

@MainActor @Suite("Settings and links", .serialized)
struct SettingsTests {
    @Test("are kept, and become the policy and the name of the next node")
    func kept() {
        let folder = URL.temporary
        let first = app(folder: folder)
        first.wishes.name = "  Ada's iPhone "
        first.wishes.quietNights = true
        first.wishes.minBattery = 0
        let options = app(folder: folder).wishes.options(dataDirectory: nil)
        #expect(options.name == "Ada's iPhone")
        #expect(options.policy == Policy(wifiOnly: true, quietHours: .init(from: 22 * 60, to: 7 * 60)))
        #expect(first.trouble == nil)
    }

    @Test("that cannot be kept say so")
    func unkept() {
        let app = app(folder: URL(fileURLWithPath: "/proc/nowhere"))
        app.wishes.name = "Ada"
        #expect(app.trouble?.contains("could not be kept") == true)
    }

    @Test("A file that cannot be read is no settings at all")
    func broken() throws {
        let folder = URL.temporary
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: folder.appendingPathComponent("wishes.json"))
        #expect(app(folder: folder).wishes == Wishes())
    }

    @Test("A link from outside is shown, and nothing is begun until the owner agrees", .besideExo)
    func link() async throws {
        let app = app { $0.only = [.link] }
        app.offer("exo://127.0.0.1")
        #expect(app.question?.contains("127.0.0.1, port 52414") == true)
        #expect(app.membership.seen.state == nil)
        app.dismiss()
        #expect(app.offered == nil)
        app.agree()
        #expect(app.membership.seen.state == nil)
        #expect(app.wishes.link == nil)

        app.offer(" exo://127.0.0.1\n")
        app.agree()
        try await until { app.cluster.standing.headline == "Joined" }
        #expect(app.wishes.link == "exo://127.0.0.1")
        await app.leave()
        app.forgetLink()
        #expect(app.wishes.link == nil)
    }

    @Test("A link from outside does not touch the node that is there")
    func untouched() async throws {
        let app = app(alone: true)
        app.join()
        try await until { app.cluster.standing.headline == "Searching" }
        app.offer("exo://192.0.2.1?ns=strangers")
        #expect(app.question?.contains("in the cluster named strangers") == true)
        #expect(app.cluster.standing.headline == "Searching")
        #expect(app.wishes.link == nil)
        await app.leave()
    }

    @Test("A link that is none says what to write instead")
    func bad() {
        let app = app()
        app.offer("http://example.org")
        #expect(app.offered == nil)
        #expect(app.linkFault?.contains("exo://") == true)
        app.offer("exo://192.168.1.7")
        #expect(app.linkFault == nil)
    }

    @Test("The QR code leads another phone to the same exo, and to none that only this phone reaches", .besideExo)
    func shared() async throws {
        let app = app()
        #expect(app.shared == nil)
        app.join()
        try await until { app.cluster.standing.headline == "Joined" }
        #expect(app.shared == nil)
        app.wishes.link = "exo://192.168.1.7?ns=home"
        #expect(app.shared == "exo://192.168.1.7?ns=home")
        await app.leave()
    }
}
