/// What a measurement should reach.
package enum Goal: Codable, Hashable, Sendable {
    /// At most this multiple of the reference: a time or a size.
    case atMostTimes(Double)
    /// At least this multiple of the reference: a rate.
    case atLeastTimes(Double)
    case atMost(Amount)
    case atLeast(Amount)
}

extension Goal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .atMostTimes(let ratio): "≤ \(Amount.short(ratio)) ×"
        case .atLeastTimes(let ratio): "≥ \(Amount.short(ratio)) ×"
        case .atMost(let amount): "≤ \(amount)"
        case .atLeast(let amount): "≥ \(amount)"
        }
    }
}
