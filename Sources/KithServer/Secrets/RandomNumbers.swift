import Foundation

/// Random numbers made of random bytes.
struct RandomNumbers: RandomNumberGenerator {
    private var bytes: [UInt8] = []
    private let source: RandomBytes

    init(_ source: RandomBytes) { self.source = source }

    mutating func next() -> UInt64 {
        if bytes.count < 8 { bytes = Array(source.bytes()) }
        defer { bytes.removeFirst(min(8, bytes.count)) }
        return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
