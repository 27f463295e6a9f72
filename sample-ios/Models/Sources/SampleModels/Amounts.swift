import ExoMobile
import Foundation

// Figures as people say them. No formatter of the system: the same words everywhere, and in the tests.

/// 5.6 GB, as stores count.
func bytes(_ count: UInt64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"]
    var (value, unit) = (Double(count), 0)
    while value >= 999.5, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    return unit < 3 || value >= 99.5
        ? "\(Int(value.rounded())) \(units[unit])" : String(format: "%.1f \(units[unit])", value)
}

/// 0.31 is 31 %.
func percent(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }

/// 1 device, 2 devices.
func counted(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

/// About how long.
func minutes(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return seconds < 90 ? counted(Int(seconds), "second") : counted(Int((Double(seconds) / 60).rounded()), "minute")
}

/// A note of the library as a sentence. Names like iOS keep their first letter.
func sentence(_ note: String) -> String {
    let isName = note.prefix { $0 != " " }.dropFirst().contains(where: \.isUppercase)
    let text = isName ? note : note.prefix(1).uppercased() + note.dropFirst()
    return text.isEmpty || [".", "!", "?"].contains(text.suffix(1)) ? text : text + "."
}

/// Enough of an id to tell nodes apart.
func shortID(_ id: String) -> String { String(id.prefix(8)) }

/// 12.3, and 140 where nobody reads the rest.
func decimal(_ value: Double) -> String {
    value < 99.95 ? String(format: "%.1f", value) : "\(Int(value.rounded()))"
}
