import KithModel

/// The values of a header such as `Accept`, each with its weight from 0 to 1 (RFC 9110, section 12.4.2).
enum WeightedList {
    /// Reads the first `limit` values of a header; nil means that there is none.
    static func values(of header: String?, limit: Int) -> [(value: String, weight: Double)] {
        (header ?? "").utf8.split(separator: UInt8(ascii: ",")).prefix(limit).map { part in
            let pieces = part.split(separator: UInt8(ascii: ";")).map { String(Substring($0).trimmingWhitespace) }
            let quality = pieces.dropFirst().first { $0.lowercased().hasPrefix("q=") }?.dropFirst(2)
            return (pieces.first ?? "", quality.map { Double($0) ?? 0 } ?? 1)
        }
    }
}
