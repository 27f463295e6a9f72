import ExoMobile
import Testing

@Suite("The library")
struct ExoTests {
    @Test("tells its version, its backends and the builds of exo that it knows")
    func about() throws {
        let about = try Exo.about()
        #expect(about.version.split(separator: ".").count == 3)
        #expect(about.backends.last == "cpu")
        #expect(!about.exoBuilds.isEmpty)
        #expect(!about.telemetryProtocol.isEmpty)
    }

    @Test("shows what a link would do before anything is sent")
    func link() throws {
        let shown = try Exo.readLink("exo://192.168.1.7?ns=home")
        #expect(shown.host == "192.168.1.7")
        #expect(shown.namespace == "home")
        #expect(shown.link == "exo://192.168.1.7?ns=home")
    }

    @Test("says of a bad link what to write instead")
    func badLink() async throws {
        let error = try await error { try Exo.readLink("http://example.org") }
        #expect(error.kind == .invalidArgument)
        #expect(error.reason.contains("exo://"))
        #expect(!error.isRetryable)
    }

    @Test("turns a panic of the core into an error of the kind fault, again and again")
    func fault() async throws {
        for _ in 0..<3 {
            let error = try await error { try Exo.provokeFault() }
            #expect(error.kind == .fault)
            #expect(error.detail.contains("a fault was provoked"))
        }
        #expect(throws: Never.self) { try Exo.about() }
    }

    @Test("solves a placement problem, and says what is wrong with a bad one")
    func place() async throws {
        let problem = """
            {"model": {"layers": [{"bytes": 1e6}, {"bytes": 1e6}]},
             "devices": [{"id": "pixel", "memory_bytes": 6e9, "flops_per_s": 1e12, "memory_bytes_per_s": 5e10}]}
            """
        #expect(try Exo.place(problem).contains(#""status":"optimal""#))
        let error = try await error { try Exo.place("{}") }
        #expect(error.kind == .invalidArgument)
    }

    @Test("tells by the kind whether to ask for a permission, and whether to try again")
    func errors() {
        #expect(ExoError(.notPermitted, "no").isPermission)
        #expect(!ExoError(.storage, "no").isPermission)
        #expect(ExoError(.unreachable, "no").isRetryable)
        #expect(!ExoError(.unreachable, "no", isRetryable: false).isRetryable)
        #expect("\(ExoError(.port, "it is taken"))" == "port: it is taken")
        #expect(ExoError(.port, "it is taken").localizedDescription == "it is taken")
    }
}
