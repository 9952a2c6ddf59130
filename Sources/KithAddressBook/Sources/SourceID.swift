/// The identity of a source. An app chooses the ids of its own sources; stored sources are `source-1`, `source-2` …
public struct SourceID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// The source of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// The prefix of the ids of all its cards. No other source has it.
    var prefixOfIDs: String {
        guard rawValue.contains(where: { $0 == "/" || $0 == "%" }) else { return rawValue + "/" }
        return rawValue.replacing("%", with: "%25").replacing("/", with: "%2F") + "/"
    }
}
