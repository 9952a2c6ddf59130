/// A random number generator that makes ids from given random bytes.
struct ByteRandomness: RandomNumberGenerator {
    private var bytes: [UInt8]
    private let more: @Sendable () -> [UInt8]

    init(_ more: @escaping @Sendable () -> [UInt8]) {
        self.bytes = []
        self.more = more
    }

    mutating func next() -> UInt64 {
        if bytes.count < 8 { bytes = more() }
        defer { bytes.removeFirst(min(8, bytes.count)) }
        return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
