/// A hash of a card's bytes.
///
/// It has 64 bits and a new seed at each start, so nobody can construct a card that collides with another.
struct CardHash: Hashable, Sendable {
    private let hash: Int
    private let length: Int

    init(_ bytes: [UInt8]) {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        (hash, length) = (hasher.finalize(), bytes.count)
    }
}
