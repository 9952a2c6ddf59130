/// A source's name for one of its cards: a file name, an address or an identifier. It stays the same from load to load.
public struct CardReference: Hashable, Sendable {
    /// The name within the source.
    public let name: String

    /// The reference of this name.
    public init(_ name: String) { self.name = name }
}
