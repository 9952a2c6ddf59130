/// What a replica has still to read of a feed: changes or pages.
protocol FeedPart {
    /// The maximum number of its records; nil if it is unknown.
    var bound: Int? { get }

    /// Reads `parts` to their ends with one query, as far as the bytes suffice.
    static func readAll(_ parts: ArraySlice<Self>, with reader: inout FeedReader) throws

    /// Reads this part with a query of its own, as far as it fits.
    func read(with reader: inout FeedReader) throws
}
