import Foundation

/// A measured number with its unit.
package struct Amount: Codable, Hashable, Sendable {
    package enum Unit: String, Codable, Sendable {
        case seconds, perSecond, bytes, count
    }

    package let value: Double
    package let unit: Unit

    package init(_ value: Double, _ unit: Unit) {
        self.value = value
        self.unit = unit
    }

    package static func seconds(_ value: Double) -> Amount { Amount(value, .seconds) }
    package static func milliseconds(_ value: Double) -> Amount { Amount(value / 1_000, .seconds) }
    package static func time(_ duration: Duration) -> Amount { Amount(duration / .seconds(1), .seconds) }
    package static func perSecond(_ value: Double) -> Amount { Amount(value, .perSecond) }
    package static func bytes(_ value: Double) -> Amount { Amount(value, .bytes) }
    package static func kibibytes(_ value: Double) -> Amount { Amount(value * 1_024, .bytes) }
    package static func mebibytes(_ value: Double) -> Amount { Amount(value * 1_048_576, .bytes) }
    package static func count(_ value: Double) -> Amount { Amount(value, .count) }
}

extension Amount: CustomStringConvertible {
    /// As people read it: `1.30 ms`, `3,780/s`, `19.0 B`.
    package var description: String {
        switch unit {
        case .seconds where value < 0.001: Self.short(value * 1_000_000) + " µs"
        case .seconds where value < 1: Self.short(value * 1_000) + " ms"
        case .seconds: Self.short(value) + " s"
        case .perSecond: Self.short(value) + "/s"
        case .bytes where value < 1_024: Self.short(value) + " B"
        case .bytes where value < 1_048_576: Self.short(value / 1_024) + " KiB"
        case .bytes where value < 1_073_741_824: Self.short(value / 1_048_576) + " MiB"
        case .bytes: Self.short(value / 1_073_741_824) + " GiB"
        case .count: Self.short(value)
        }
    }

    /// Three digits, and from a thousand on whole numbers with commas.
    static func short(_ value: Double) -> String {
        switch abs(value) {
        case ..<10: return String(format: "%.2f", value)
        case ..<100: return String(format: "%.1f", value)
        case ..<1_000: return String(format: "%.0f", value)
        default:
            var digits = Array(String(format: "%.0f", abs(value)))
            for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
            return (value < 0 ? "-" : "") + String(digits)
        }
    }
}
