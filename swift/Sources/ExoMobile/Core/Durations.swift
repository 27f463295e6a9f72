import Foundation

// The bindings have durations as seconds, and end the app for one that is negative or longer than they can hold.

extension Duration {
    /// About a hundred years: longer than anybody waits.
    private static let longest = 3_155_760_000.0

    /// For the core: nothing is shorter than no time at all.
    var interval: TimeInterval {
        let (seconds, attoseconds) = components
        return min(max(Double(seconds) + Double(attoseconds) / 1e18, 0), Self.longest)
    }

    /// From the core.
    init(interval: TimeInterval) {
        self = .seconds(min(max(interval, 0), Self.longest))
    }
}

extension Date {
    /// Milliseconds since 1970, as the core counts.
    init(milliseconds: UInt64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Milliseconds since 1970; 0 for what lies before.
    var milliseconds: UInt64 {
        let count = (timeIntervalSince1970 * 1000).rounded()
        return UInt64(exactly: min(max(count, 0), 1e18)) ?? 0
    }
}
