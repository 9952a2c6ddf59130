/// The error for a value that an oblivious pseudorandom function rejects.
public struct ObliviousPRFError: Error, Hashable, Sendable {
    /// The index of the rejected input or element.
    public let index: Int

    /// Creates the error for this index.
    public init(index: Int) { self.index = index }
}
