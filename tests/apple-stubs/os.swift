// What swift/Sources/ExoMobile/Apple uses of `os`, and of Foundation and Darwin where Linux lacks it: signatures only.
import Foundation

public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    public init(initialState: State) where State: Sendable { fatalError() }
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R { fatalError() }
}

public struct OSLogPrivacy { public static var `private`: OSLogPrivacy { fatalError() } }

public struct OSLogMessage: ExpressibleByStringInterpolation {
    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ text: String, privacy: OSLogPrivacy) {}
    }
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: StringInterpolation) {}
}

public struct Logger: Sendable {
    public init(subsystem: String, category: String) {}
    public func debug(_ message: OSLogMessage) {}
    public func info(_ message: OSLogMessage) {}
    public func warning(_ message: OSLogMessage) {}
    public func error(_ message: OSLogMessage) {}
}

public func os_proc_available_memory() -> Int { fatalError() }

@discardableResult
public func sysctlbyname(
    _ name: UnsafePointer<CChar>?, _ old: UnsafeMutableRawPointer?, _ oldSize: UnsafeMutablePointer<Int>?,
    _ new: UnsafeMutableRawPointer?, _ newSize: Int
) -> Int32 { fatalError() }

extension ProcessInfo {
    public enum ThermalState: Int, Sendable { case nominal, fair, serious, critical }
    public var thermalState: ThermalState { fatalError() }
    public var isLowPowerModeEnabled: Bool { fatalError() }
    public static var thermalStateDidChangeNotification: Notification.Name { fatalError() }
}

extension Notification.Name {
    public static var NSProcessInfoPowerStateDidChange: Notification.Name { fatalError() }
}

extension URLResourceKey {
    public static var volumeAvailableCapacityForImportantUsageKey: URLResourceKey { fatalError() }
}

extension URLResourceValues {
    public var volumeAvailableCapacityForImportantUsage: Int64? { fatalError() }
}
