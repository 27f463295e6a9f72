import ExoMobile
import Foundation
import Testing

@Suite("A probe of the app's own")
struct ProbeTests {
    private func joined(_ probe: FakeProbe) throws -> ExoNode {
        try ExoNode.join(.alone, platform: Platform(probe: probe))
    }

    @Test("is asked, and what it tells arrives with its provenance")
    func told() async throws {
        let at = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
        var readings = Readings()
        readings.battery.level = .measured(0.5, at: at)
        readings.battery.charging = .measured(true, at: at)
        readings.power = .estimated(4.5, how: "from the battery's current", at: at)
        readings.thermal.status = .measured(.light, at: at)
        readings.network.kind = .measured(.wifi, at: at)
        readings.memory.total = .measured(8 << 30, at: at)
        readings.memory.pressure = .measured(.warning, at: at)
        readings.disk.total = .unavailable(why: "no disk", at: at)
        let node = try joined(FakeProbe { [readings] _ in readings })
        let seen = try await first(of: node.conditions) {
            $0.readings.battery.level.value != nil && $0.readings.disk.total.note == "no disk"
        }.readings
        #expect(seen.battery.level == .measured(0.5, at: at))
        #expect(seen.battery.charging == .measured(true, at: at))
        #expect(seen.power == .estimated(4.5, how: "from the battery's current", at: at))
        #expect(seen.thermal.status == .measured(.light, at: at))
        #expect(seen.network.kind == .measured(.wifi, at: at))
        #expect(seen.memory.total == .measured(8 << 30, at: at))
        #expect(seen.memory.pressure == .measured(.warning, at: at))
        #expect(seen.disk.total == .unavailable(why: "no disk", at: at))
        #expect(seen.cpu.load.source == .unavailable)
        node.close()
    }

    @Test("that throws makes its readings unavailable, with what it said")
    func throwing() async throws {
        let node = try joined(FakeProbe { _ in throw ExoError(.notPermitted, "the sensor is forbidden") })
        let seen = try await first(of: node.conditions) { _ in true }.readings
        #expect(seen.battery.level.value == nil)
        #expect(seen.battery.level.note?.contains("the sensor is forbidden") == true)
        node.close()
    }

    @Test("that throws something of its own does no harm either")
    func throwingAnything() async throws {
        let probe = FakeProbe(identityTold: { throw TooLate() }, told: { _ in throw TooLate() })
        let node = try joined(probe)
        let seen = try await first(of: node.conditions) { _ in true }.readings
        #expect(seen.memory.total.note?.contains("TooLate") == true)
        node.close()
    }

    @Test("that hangs holds up nobody")
    func hanging() async throws {
        let gate = DispatchSemaphore(value: 0)
        let node = try joined(
            FakeProbe { _ in
                gate.wait()
                return Readings()
            })
        #expect(try node.state == .searching)
        #expect(try node.condition == nil)
        try? await node.leave(within: .milliseconds(100))
        node.close()
        for _ in 0..<100 { gate.signal() }
    }

    @Test("that tells what no phone can have is not believed")
    func absurd() async throws {
        var readings = Readings()
        readings.thermal.temperature = .measured(65_535)
        readings.battery.level = .measured(.nan)
        readings.cpu.utilisation = .measured(-.infinity)
        readings.memory.total = .measured(.max, at: .distantPast)
        readings.disk.total = .measured(1, at: .distantFuture)
        let node = try joined(FakeProbe { [readings] _ in readings })
        let seen = try await first(of: node.conditions) { $0.readings.disk.total.value != nil }.readings
        #expect(seen.thermal.temperature.value == nil)
        #expect(seen.battery.level.value == nil)
        #expect(seen.cpu.utilisation.value == nil)
        node.close()
    }

    @Test("is asked again at once when the app noticed a change")
    func noticed() async throws {
        let looks = Locked(0)
        let node = try joined(
            FakeProbe { _ in
                looks.with { $0 += 1 }
                var readings = Readings()
                readings.battery.level = .measured(looks.now > 1 ? 0.25 : 0.5)
                return readings
            })
        _ = try await first(of: node.conditions) { $0.readings.battery.level.value == 0.5 }
        try node.noticed([.battery])
        _ = try await first(of: node.conditions) { $0.readings.battery.level.value == 0.25 }
        node.close()
    }

    @Test("names the device in the cluster", .besideExo)
    func named() async throws {
        var options = JoinOptions.beside("unused")
        options.name = nil
        let node = try ExoNode.join(options, platform: Platform(probe: FakeProbe { _ in Readings() }))
        let cluster = try await first(of: node.clusters) {
            $0.thisDevice?.name != nil && $0.thisDevice?.osVersion != nil
        }
        #expect(cluster.thisDevice?.name == "Ada's phone")
        #expect(cluster.thisDevice?.osVersion == "iOS 18")
        try await node.leave(within: .seconds(10))
    }
}
