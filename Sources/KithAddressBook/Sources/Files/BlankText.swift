/// Decides whether bytes of a text are only white space.
struct BlankText {
    /// The number of bytes of the byte order mark; 0 without one.
    let mark: Int
    /// The number of bytes of a unit: 2 in UTF-16, 1 in UTF-8 and in every other superset of ASCII.
    private let width: Int
    /// The index in a unit of the byte that is the letter; the other byte of white space is 0.
    private let letter: Int

    /// The text that starts with these bytes, at least four if it has that many.
    init(startingWith start: [UInt8]) {
        if start.starts(with: [0xFF, 0xFE]) {
            (mark, width, letter) = (2, 2, 0)
        } else if start.starts(with: [0xFE, 0xFF]) {
            (mark, width, letter) = (2, 2, 1)
        } else if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            (mark, width, letter) = (3, 1, 0)
        } else if start.prefix(2).last == 0 {
            (mark, width, letter) = (0, 2, 0)
        } else if start.first == 0 {
            (mark, width, letter) = (0, 2, 1)
        } else {
            (mark, width, letter) = (0, 1, 0)
        }
    }

    /// Whether these bytes, which begin with a unit, are only white space. Half a unit is not.
    func contains(_ bytes: [UInt8]) -> Bool {
        bytes.count.isMultiple(of: width)
            && bytes.enumerated().allSatisfy { index, byte in
                index % width == letter ? (9...13).contains(byte) || byte == 32 : byte == 0
            }
    }
}
