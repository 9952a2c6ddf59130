/// The name of a kind of synced record. A newer version may have further ones.
public struct RecordCollection: RawRepresentable, Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    /// The name in its encoded form.
    public let rawValue: String

    /// Creates a collection from its name, which this version need not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether `left` comes first by name.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The name.
    public var description: String { rawValue }
}
