internal import ExoMobileCore

/// How much a line of the log matters.
public enum LogLevel: Int, Sendable, CaseIterable, Comparable {
    /// For who looks for a fault.
    case debug
    /// What happens.
    case info
    /// What does not work, and is being repaired.
    case warning
    /// What is over.
    case error

    /// What matters less is less.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Where the core's log goes.
public protocol LogSink: Sendable {
    /// One line about a part of the core: `node`, `discovery`, `gpu`. Called from a thread of its own. A log that is too
    /// slow loses lines, and never holds up the core.
    func log(_ level: LogLevel, about: String, line: String)
}

/// The app's log as the core writes it.
final class AskedSink: ExoMobileCore.LogSink {
    private let sink: any LogSink

    init(_ sink: any LogSink) {
        self.sink = sink
    }

    func log(level: ExoMobileCore.LogLevel, about: String, line: String) throws {
        let level: LogLevel =
            switch level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        sink.log(level, about: about, line: line)
    }
}
