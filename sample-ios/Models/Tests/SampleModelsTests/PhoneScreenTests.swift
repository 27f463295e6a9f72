import ExoMobile
import Foundation
import Testing

@testable import SampleModels

@MainActor @Suite("The screen This phone", .serialized)
struct PhoneScreenTests {
    private var warm: Readings {
        var readings = Readings()
        readings.memory.total = .measured(8_000_000_000)
        readings.memory.available = .measured(3_210_000_000)
        readings.battery.level = .measured(0.81)
        readings.battery.charging = .measured(true)
        readings.battery.powerSave = .measured(true)
        readings.thermal.status = .measured(.light)
        readings.network.kind = .measured(.wifi)
        readings.network.metered = .measured(false)
        return readings
    }

    @Test("says before the first search that nobody looks")
    func begins() {
        let screen = app().phone
        #expect(screen.standing.headline == "Nobody looks")
        #expect(screen.curve == nil)
        #expect(screen.parts.map(\.title) == ["GPU", "Memory", "Battery"])
        #expect(screen.parts.map(\.figure) == ["Being opened", "Not known", "Not known"])
    }

    @Test("tells memory, battery and heat as they were read, with a forecast and its chart")
    func condition() async throws {
        let app = app(warm, alone: true)
        app.join()
        try await until { app.phone.curve != nil }
        let screen = app.phone
        #expect(screen.standing.headline == "Ready to work")
        #expect(screen.parts[1].figure == "3.2 GB free")
        #expect(screen.parts[1].detail == "Of 8.0 GB in all.")
        #expect(screen.parts[2].figure == "81 %")
        #expect(screen.parts[2].detail == "Being charged, and the phone saves power.")
        #expect(screen.heat.figure == "light")
        #expect(screen.heat.detail.hasPrefix("In "))
        let curve = try #require(screen.curve)
        #expect(curve.unit == .levels)
        #expect(curve.spots.last?.value == 1)
        #expect(curve.forecast.map(\.seconds).first == 0)
        #expect(curve.range.contains(1))
        await app.leave()
    }

    @Test("says of what cannot be had why not")
    func unknown() async throws {
        var readings = warm
        readings.battery.level = .unavailable(why: "the device tells no level")
        readings.memory.available = .unavailable(why: "macOS sets no limit for an app")
        let app = app(readings, alone: true)
        app.join()
        try await until { app.phone.parts[1].figure == "8.0 GB" }
        #expect(app.phone.parts[1].detail == "macOS sets no limit for an app.")
        #expect(app.phone.parts[2].figure == "Not known")
        #expect(app.phone.parts[2].detail == "The device tells no level.")
        await app.leave()
    }

    @Test("names the rule that says no, and holds a new rule at once")
    func rules() async throws {
        var readings = warm
        readings.battery.charging = .measured(false)
        let app = app(readings, alone: true)
        app.join()
        try await until { app.phone.standing.headline == "Ready to work" }
        app.wishes.onlyWhileCharging = true
        try await until { app.phone.rules.contains { $0.title == "No" } }
        #expect(["Coming to rest", "At rest"].contains(app.phone.standing.headline))
        #expect(app.phone.rules.first?.id == "onlyWhileCharging")
        #expect(app.phone.rules.first?.detail.hasSuffix(".") == true)
        await app.leave()
    }

    @Test("names the GPU, or why there is none")
    func gpu() async throws {
        let app = app()
        await app.membership.lookAtGpu(.init(backend: .cpu))
        guard case .device(let device) = app.membership.seen.gpu else { throw TooLate() }
        #expect(app.phone.parts[0].figure == device.name)
        await app.membership.lookAtGpu(.init(backend: .cpu, device: "no such device"))
        #expect(app.phone.parts[0].figure == "None could be opened")
        #expect(app.phone.parts[0].tone == .warn)
    }

    @Test("keeps five minutes of heat, one look a second, in one unit")
    func history() {
        var history = HeatHistory()
        let start = Date(timeIntervalSince1970: 1_000_000)
        for tick in 0..<800 {
            history.add(.init(at: start.addingTimeInterval(Double(tick) / 2), value: 30, unit: .celsius))
        }
        #expect(history.points.count <= 301)
        #expect(history.points.last?.at == start.addingTimeInterval(399.5))
        history.add(.init(at: start.addingTimeInterval(400), value: 1, unit: .levels))
        #expect(history.points.map(\.unit) == [.levels])
    }

    @Test("draws noise as noise: the chart spans some degrees at least")
    func range() {
        let now = HeatHistory.Point(at: Date(), value: 30.2, unit: .celsius)
        let curve = HeatCurve(last: now, points: [now], reach: .init(seconds: 60, mean: 30.4, low: 30, high: 31))
        #expect(curve.range == 29...35)
        #expect(curve.label(29.6) == "30 °C")
    }

    @Test("says figures as people do")
    func amounts() {
        #expect(
            [0, 999, 1000, 1_500_000, 5_600_000_000, 128_000_000_000].map(bytes) == [
                "0 B", "999 B", "1 kB", "2 MB", "5.6 GB", "128 GB",
            ])
        #expect([.seconds(1), .seconds(89), .seconds(150)].map(minutes) == ["1 second", "89 seconds", "3 minutes"])
        #expect(["", "why", "Why?", "iOS says no"].map(sentence) == ["", "Why.", "Why?", "iOS says no."])
    }
}
