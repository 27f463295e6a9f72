import Testing

@testable import ExoMobile

@Suite("A link that one phone hands to another")
struct HandedLinkTests {
    private func member(via: String?) -> Advertisement {
        var txt = ["v": "1", "ns": "6e2bf1dad2aa1268", "role": "client"]
        txt["via"] = via
        return Advertisement(serviceType: "_exo._tcp", name: "exo-mobile-1", port: 9, txt: txt)
    }

    @Test(
        "names the exo that the phone is attached to, and arrives as a member that is never dialled itself",
        arguments: [
            ("tcp/192.168.1.7:52414", "exo://192.168.1.7"),
            ("tcp/192.168.1.7:9000,tcp/10.0.0.2:9", "exo://192.168.1.7:9000"),
            ("tcp/[fd00::7]:52414", "exo://[fd00::7]"),
        ])
    func handed(via: String, link: String) throws {
        let handed = try #require(HandedLink(member(via: via)))
        #expect(handed.words == ["link": link, "ns": "6e2bf1dad2aa1268"])
        let heard = try #require(HandedLink(handed.words))
        #expect(heard == handed)
        let service = try #require(heard.service(of: "exo-mobile-1"))
        #expect(service.addresses == [])
        #expect(service.txt["role"] == "client")
        #expect(service.txt["via"] == String(via.split(separator: ",")[0]))
        #expect(service.txt["ns"] == "6e2bf1dad2aa1268")
    }

    @Test("is not there for a phone that hosts a cluster itself")
    func host() {
        #expect(HandedLink(member(via: nil)) == nil)
    }

    @Test(
        "that is none is left alone",
        arguments: [
            [:], ["link": ""], ["link": "http://example.org"], ["link": "exo://[::]"], ["via": "exo://10.0.0.1"],
        ])
    func bad(words: [String: String]) {
        #expect(HandedLink(words) == nil)
    }

    @Test("fits into what a phone may say before a session: 400 bytes")
    func short() throws {
        let longest = "tcp/[fd00:1111:2222:3333:4444:5555:6666:7777]:65535"
        let words = try #require(HandedLink(member(via: longest))).words
        #expect(words.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 2 } <= 400)
    }

    @Test("counts as an announcement")
    func heard() async throws {
        let service = try #require(HandedLink(["link": "exo://192.0.2.7"])?.service(of: "near"))
        let several = SeveralDiscoveries([
            FakeDiscovery { _ in throw ExoError(.notPermitted, "not allowed") },
            FakeDiscovery { try $0.resolved(service) },
        ])
        let options = JoinOptions(only: [.dnsSd], measuresLinks: false)
        let node = try ExoNode.join(options, platform: Platform(discovery: several))
        let search = try await first(of: node.searches) { $0.contains { $0.note.contains("1 _exo._tcp") } }
        #expect(search.first { $0.provider == .dnsSd }?.activity == .searching)
        node.close()
    }
}

@Suite("Several discoveries")
struct SeveralDiscoveriesTests {
    @Test("that may not search, all of them, say why")
    func denied() async throws {
        let denied = FakeDiscovery { _ in throw ExoError(.notPermitted, "the local network is not allowed") }
        let options = JoinOptions(only: [.dnsSd], measuresLinks: false)
        let platform = Platform(discovery: SeveralDiscoveries([denied, denied]))
        let node = try ExoNode.join(options, platform: platform)
        let search = try await first(of: node.searches) { $0.contains { $0.activity == .blocked } }
        #expect(search.contains { $0.note.contains("the local network is not allowed") })
        node.close()
    }

    @Test("advertise and withdraw, each of them, also after one that cannot")
    func each() throws {
        let (one, two) = (FakeDiscovery { _ in }, FakeDiscovery { _ in })
        one.refuses.with { $0 = true }
        let several = SeveralDiscoveries([one, two])
        try several.advertise(Advertisement(serviceType: "_exo._tcp", name: "exo-mobile-1", port: 9, txt: [:]))
        try several.withdraw()
        try several.stopBrowsing()
        #expect(two.asked.now == ["advertise", "withdraw", "stop"])
        two.refuses.with { $0 = true }
        #expect(throws: ExoError.self) { try several.withdraw() }
    }
}
