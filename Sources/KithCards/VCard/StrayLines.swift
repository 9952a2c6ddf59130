/// The lines of a card that are no properties and continue none.
struct StrayLines {
    /// The number of lines whose places are kept. The others are only counted.
    static let most = 8

    /// The starts of the first ones, in order.
    private(set) var starts: [Int] = []
    private(set) var count = 0

    mutating func append(_ start: Int) {
        count += 1
        if starts.count < Self.most { starts.append(start) }
    }
}
