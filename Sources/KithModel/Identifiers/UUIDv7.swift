public import Foundation

extension UUID {
    /// A new UUID of version 7: 48 bits of time, then 74 random bits (RFC 9562, section 5.7).
    ///
    /// - Parameters:
    ///   - time: Milliseconds since 1970.
    ///   - random: The source of the random bits. A generator with the same seed produces the same identifiers.
    /// - Returns: An identifier that sorts after those of earlier milliseconds.
    public static func version7(time: Timestamp, using random: inout some RandomNumberGenerator) -> UUID {
        let high = UInt64(bitPattern: time.milliseconds) << 16 | 0x7000 | (random.next() & 0x0FFF)
        let low = 0x8000_0000_0000_0000 | (random.next() & 0x3FFF_FFFF_FFFF_FFFF)
        return UUID(high: high, low: low)
    }

    /// Creates a UUID from its two halves, most significant first.
    package init(high: UInt64, low: UInt64) {
        var bytes = (high.bigEndian, low.bigEndian)
        self.init(uuid: withUnsafeBytes(of: &bytes) { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// Parses a UUID: 32 hexadecimal digits in upper or lower case, in five groups. It is several times as fast as
    /// `UUID(uuidString:)`.
    package init?(text: String) {
        var text = text
        guard let uuid = text.withUTF8({ UUID(utf8: $0) }) else { return nil }
        self = uuid
    }

    /// Parses the bytes of a text, as ``init(text:)`` does.
    package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for (place, byte) in bytes.enumerated() {
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            if place < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
        }
        self.init(high: high, low: low)
    }

    /// The two halves of the UUID, most significant first.
    package var halves: (high: UInt64, low: UInt64) {
        withUnsafeBytes(of: uuid) {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// Does the same as the initialiser for sequences, but faster. Queries read each id with it.
    package init?(bytes: Data) {
        guard let uuid = bytes.withUnsafeBytes({ UUID(raw: $0) }) else { return nil }
        self = uuid
    }

    /// Creates a UUID from sixteen bytes; nil for any other number of bytes.
    package init?(bytes: some Sequence<UInt8>) {
        let inPlace = bytes.withContiguousStorageIfAvailable { UUID(raw: UnsafeRawBufferPointer($0)) }
        guard let uuid = inPlace ?? Array(bytes).withUnsafeBytes({ UUID(raw: $0) }) else { return nil }
        self = uuid
    }

    private init?(raw: UnsafeRawBufferPointer) {
        guard raw.count == 16 else { return nil }
        self.init(uuid: raw.loadUnaligned(as: uuid_t.self))
    }

    /// The sixteen bytes of the UUID.
    package var data: Data {
        withUnsafeBytes(of: uuid) { Data($0) }
    }

    /// Whether this UUID's bytes come before those of `other`, as in the order of a BLOB primary key.
    package func isOrdered(before other: UUID) -> Bool {
        let (left, right) = (halves, other.halves)
        return left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// The UUID in lower case.
    package var text: String {
        String(unsafeUninitializedCapacity: Self.length) { text in
            write(to: text)
            return Self.length
        }
    }

    /// The number of characters of ``text``.
    static let length = 36

    /// Writes ``text`` to the beginning of a buffer, which must have room for its ``length``.
    func write(to text: UnsafeMutableBufferPointer<UInt8>) {
        let digits: StaticString = "0123456789abcdef"
        withUnsafeBytes(of: uuid) { bytes in
            var at = 0
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[at] = UInt8(ascii: "-")
                    at += 1
                }
                text[at] = digits.utf8Start[Int(byte >> 4)]
                text[at + 1] = digits.utf8Start[Int(byte & 15)]
                at += 2
            }
        }
    }
}
