// A program that ends while a node, a device and an answer are open, and while the core is busy with code of the program. How it
// ends is its first argument; it must end so with the exit code that it chose, whatever the core's threads do meanwhile.
// ExoMobileTests/EndingTests.swift runs it.

import ExoMobile
import Foundation

/// Never done: the core is inside when the program ends.
struct Busy: Probe, LogSink {
    func identity() throws -> DeviceIdentity {
        DeviceIdentity(
            name: "busy", model: "Phone 1", chip: "Chip 1", osVersion: "iOS 18", osBuild: "22A1", vendor: "Apple",
            type: .mobileIos)
    }

    func read(_ wanted: Set<Readings.Group>) throws -> Readings {
        Thread.sleep(forTimeInterval: 60)
        return Readings()
    }

    func log(_ level: LogLevel, about: String, line: String) { Thread.sleep(forTimeInterval: 0.001) }
}

let node = try ExoNode.join(
    JoinOptions(only: [.loopback], discoveryPort: 9, measuresLinks: false),
    platform: Platform(probe: Busy(), log: Busy()))
let gpu = try await Gpu.open(.init(backend: .cpu))
let buffer = try gpu.allocate(bytes: 1 << 16)
try buffer.write([Float](repeating: 1, count: 1 << 14))
let listening = Task { for try await _ in node.searches {} }
let measuring = Task { try await gpu.calibrate() }
if let directory = ProcessInfo.processInfo.environment["EXO_TINY_MODELS"] {
    let host = try await ModelHost.open(.init(directory: directory, gpu: .init(backend: .cpu)))
    let model = try await host.load("exo-mobile/tiny-random")
    _ = Task { try await model.ask(Question("What is rain?", maxTokens: 1500)).text() }
}
print("open")

switch CommandLine.arguments.dropFirst().first {
case "exit": exit(7)
case "exit elsewhere":
    Thread.detachNewThread { exit(7) }
    try await Task.sleep(for: .seconds(60))
case "return": break
default:
    print("how shall it end? one of: exit, 'exit elsewhere', return")
    exit(2)
}
