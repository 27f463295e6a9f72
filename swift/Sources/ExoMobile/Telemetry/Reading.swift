import Foundation

/// A value and where it comes from. Nothing is invented: what cannot be had says why.
public enum Reading<Value: Sendable & Equatable>: Sendable, Equatable {
    /// A sensor or the system said so.
    case measured(Value, at: Date = Date())
    /// It was computed from something else.
    case estimated(Value, how: String, at: Date = Date())
    /// It cannot be had.
    case unavailable(why: String, at: Date = Date())

    /// The value, if there is one.
    public var value: Value? {
        switch self {
        case .measured(let value, _), .estimated(let value, _, _): value
        case .unavailable: nil
        }
    }

    /// When it was read.
    public var at: Date {
        switch self {
        case .measured(_, let at), .estimated(_, _, let at), .unavailable(_, let at): at
        }
    }

    /// How it was estimated, or why it cannot be had.
    public var note: String? {
        switch self {
        case .measured: nil
        case .estimated(_, let how, _): how
        case .unavailable(let why, _): why
        }
    }

    /// Where it comes from.
    public var source: Source {
        switch self {
        case .measured: .measured
        case .estimated: .estimated
        case .unavailable: .unavailable
        }
    }
}

/// Where a value comes from.
public enum Source: String, Sendable, CaseIterable {
    /// A sensor or the system said so.
    case measured
    /// It was computed from something else.
    case estimated
    /// It cannot be had.
    case unavailable
}

// `none` and `some`, as the core calls some of these, are what `Optional` has: they would be mistaken for it.

/// How hard the system looks for memory.
public enum Pressure: String, Sendable, CaseIterable {
    /// There is enough.
    case normal
    /// Give back what is not needed.
    case warning
    /// Apps are being ended.
    case critical
}

/// How the system calls the heat.
public enum ThermalStatus: Int, Sendable, CaseIterable, Comparable {
    /// Not throttled.
    case nominal
    /// Throttled so that nobody notices.
    case light
    /// Throttled so that it may be noticed.
    case moderate
    /// The experience suffers.
    case severe
    /// All that can be done is being done.
    case critical
    /// Parts are being switched off.
    case emergency
    /// The device switches itself off.
    case shutdown

    /// Less heat is less.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What carries a network.
public enum NetworkKind: String, Sendable, CaseIterable {
    /// Wi-Fi.
    case wifi
    /// A cable.
    case ethernet
    /// A mobile network.
    case cellular
    /// Something else: USB, Bluetooth, a VPN.
    case other
    /// There is none.
    case disconnected
}
