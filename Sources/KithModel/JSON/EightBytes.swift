/// Searches eight bytes at once, the first one lowest in the word.
///
/// A result has the high bit of the first byte that was found, and of some later bytes; it is 0 if none was found. This is
/// the usual arithmetic on words: a subtraction borrows from a byte's high bit only if the byte is small.
enum EightBytes {
    /// The high bit of each byte. It is set in bytes that are not ASCII.
    static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Bytes with this value.
    static func first(equalTo byte: UInt8, in word: UInt64) -> UInt64 {
        first(below: 1, in: word ^ (ones &* UInt64(byte)))
    }

    /// Bytes lower than `bound`, which is at most 128.
    static func first(below bound: UInt8, in word: UInt64) -> UInt64 {
        (word &- (ones &* UInt64(bound))) & ~word & highBits
    }
}
