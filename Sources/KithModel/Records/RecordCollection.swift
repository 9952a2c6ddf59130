/// The name of a kind of synced record. Newer versions may have further ones.
public struct RecordCollection: RawRepresentable, Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    /// The name in its encoded form.
    public let rawValue: String

    /// Creates a collection from its name. This version need not know it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the names.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The name.
    public var description: String { rawValue }
}
