/// A 64-bit digest of a feed's live records, by which a replica detects that it differs from the server.
///
/// It is the sum of a hash of each (id, sequence) pair. A sum does not depend on the order, and a change of one record
/// is one subtraction and one addition, so an update costs no more than its changes. The digest detects errors, not
/// attacks.
package struct FeedDigest: Hashable, Sendable {
    /// The sum of the hashes.
    package private(set) var bits: UInt64

    /// Creates a digest with these bits; 0 is the digest of an empty feed.
    package init(bits: UInt64 = 0) { self.bits = bits }

    /// Parses a digest of sixteen hexadecimal digits.
    package init?(_ text: String) {
        // The initializer of UInt64 also accepts a sign.
        guard text.utf8.count == 16, text.first != "+", let bits = UInt64(text, radix: 16) else { return nil }
        self.bits = bits
    }

    /// Adds the record `id` with this sequence.
    package mutating func add(_ id: RecordID<Never>, sequence: Int64) {
        bits &+= Self.hash(id, sequence)
    }

    /// Removes the record `id` that was added with this sequence.
    package mutating func remove(_ id: RecordID<Never>, sequence: Int64) {
        bits &-= Self.hash(id, sequence)
    }

    private static func hash(_ id: RecordID<Never>, _ sequence: Int64) -> UInt64 {
        let (high, low) = id.uuid.halves
        return mix(mix(mix(high) ^ low) ^ UInt64(bitPattern: sequence))
    }

    /// The first random number for the seed `value`.
    private static func mix(_ value: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: value)
        return numbers.next()
    }
}

extension FeedDigest: TextCodable {
    /// The digest in sixteen hexadecimal digits.
    package var description: String {
        let hex = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - hex.count) + hex
    }

    package static var refusal: String { "is not a digest of 16 hexadecimal digits" }
}
