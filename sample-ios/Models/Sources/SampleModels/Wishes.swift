import ExoMobile
import Foundation

/// What the owner chose in the settings.
public struct Wishes: Sendable, Equatable, Codable {
    /// What others call this phone; the phone's own name if blank.
    public var name = ""
    /// A link that the owner has agreed to, tried besides all other ways.
    public var link: String?
    /// Work only while the battery is being charged.
    public var onlyWhileCharging = false
    /// Work only on Wi-Fi, and not where bytes cost money.
    public var wifiOnly = true
    /// Work only while the app is on the screen.
    public var foregroundOnly = false
    /// Do not work between ten in the evening and seven in the morning.
    public var quietNights = false
    /// Work only with so many percent in the battery; 0 asks for nothing.
    public var minBattery = 30

    /// Percents of the battery that can be chosen.
    public static let batteries = [0, 15, 30, 50]

    /// What a percent is called.
    public static func batteryLabel(_ percent: Int) -> String { percent == 0 ? "Any" : "\(percent) %" }

    /// What most people would choose.
    public init() {}

    /// The rules among them.
    public var policy: Policy {
        Policy(
            onlyWhileCharging: onlyWhileCharging,
            minBattery: minBattery > 0 ? Double(minBattery) / 100 : nil,
            wifiOnly: wifiOnly,
            quietHours: quietNights ? Policy.QuietHours(from: 22 * 60, to: 7 * 60) : nil,
            foregroundOnly: foregroundOnly
        )
    }

    /// How to join with them.
    public func options(dataDirectory: String?) -> JoinOptions {
        let called = name.trimmingCharacters(in: .whitespacesAndNewlines)
        return JoinOptions(
            name: called.isEmpty ? nil : called,
            dataDirectory: dataDirectory,
            namespace: link.flatMap { try? Exo.readLink($0).namespace },
            confirmedLink: link,
            policy: policy,
            utcOffsetMinutes: Int16(clamping: TimeZone.current.secondsFromGMT() / 60)
        )
    }
}

/// Where the wishes are kept: a file of the app's own.
public struct WishesFile: Sendable {
    private let file: URL

    /// In this folder.
    public init(_ folder: URL) {
        file = folder.appendingPathComponent("wishes.json")
    }

    /// What was kept. A file that is not there, or cannot be read, is what most people would choose.
    public func load() -> Wishes {
        (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Wishes.self, from: $0) } ?? Wishes()
    }

    /// Keeps these.
    public func save(_ wishes: Wishes) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try JSONEncoder().encode(wishes).write(to: file, options: .atomic)
    }
}
