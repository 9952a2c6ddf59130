package import Foundation

/// The answer to a look-up of buckets: `POST /v1/discovery/buckets`.
///
/// It travels as bytes, numbers with the highest byte first: `KDB1`; the sequence through which the buckets are told, 8
/// bytes; 1 byte, 0 for whole buckets and 1 for changes; 1 byte, the bits of a prefix. Then for each bucket its prefix,
/// the number of its entries, and how many are gone, 4 bytes each; the entries, 24 bytes each: tag, then masked
/// account; and the tags of those that are gone, 8 bytes each.
package struct BucketAnswer: Hashable, Sendable {
    /// What is told of one bucket.
    package struct Bucket: Hashable, Sendable {
        /// Which bucket it is.
        package var prefix: UInt32
        /// The entries: all of them, or those that are new or others since.
        package var entries: [Entry]
        /// The tags of those that are gone since.
        package var gone: [UInt64]

        /// What is told of this bucket.
        package init(prefix: UInt32, entries: [Entry], gone: [UInt64] = []) {
            (self.prefix, self.entries, self.gone) = (prefix, entries, gone)
        }
    }

    /// One registered identity, or padding: they look alike.
    package struct Entry: Hashable, Sendable {
        /// By which it is known within its bucket.
        package var tag: UInt64
        /// Whose it is.
        package var account: MaskedAccount

        /// An entry of this tag and account.
        package init(tag: UInt64, account: MaskedAccount) { (self.tag, self.account) = (tag, account) }

        /// Bytes on the wire.
        package static let size = 24
    }

    /// The sequence through which the buckets are told.
    package var sequence: Int64
    /// Whether only what has changed is told.
    package var isChanges: Bool
    /// How many bits a prefix has.
    package var bits: Int
    /// The buckets. There can be fewer than were asked for: the others are to be asked for again.
    package var buckets: [Bucket]

    /// An answer with these buckets.
    package init(sequence: Int64, isChanges: Bool, bits: Int, buckets: [Bucket]) {
        (self.sequence, self.isChanges, self.bits, self.buckets) = (sequence, isChanges, bits, buckets)
    }

    private static let mark = Array("KDB1".utf8)

    /// The bytes that travel.
    package var data: Data {
        let count = buckets.reduce(14) { $0 + 12 + $1.entries.count * Entry.size + $1.gone.count * 8 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        bytes += Self.mark
        bytes.append(sequence)
        bytes += [isChanges ? 1 : 0, UInt8(bits)]
        for bucket in buckets {
            bytes.append(bucket.prefix)
            bytes.append(UInt32(bucket.entries.count))
            bytes.append(UInt32(bucket.gone.count))
            for entry in bucket.entries {
                bytes.append(entry.tag)
                bytes.append(entry.account.high)
                bytes.append(entry.account.low)
            }
            for tag in bucket.gone { bytes.append(tag) }
        }
        return Data(bytes)
    }

    /// The answer that these bytes are; nil if they are none.
    package init?(_ data: Data) {
        let answer = data.withUnsafeBytes { bytes -> BucketAnswer? in
            var reader = Reader(bytes)
            guard bytes.prefix(4).elementsEqual(Self.mark) else { return nil }
            reader.at = 4
            guard let sequence = reader.number(Int64.self), let kind = reader.number(UInt8.self), kind < 2,
                let bits = reader.number(UInt8.self), bits <= 32
            else { return nil }
            var answer = BucketAnswer(sequence: sequence, isChanges: kind == 1, bits: Int(bits), buckets: [])
            while reader.at < bytes.count {
                guard let bucket = reader.bucket() else { return nil }
                answer.buckets.append(bucket)
            }
            return answer
        }
        guard let answer else { return nil }
        self = answer
    }

    /// Reads numbers, as long as there are bytes.
    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var at = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
            let size = MemoryLayout<Number>.size
            guard bytes.count - at >= size else { return nil }
            defer { at += size }
            return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: Number.self))
        }

        mutating func bucket() -> Bucket? {
            guard let prefix = number(UInt32.self), let count = number(UInt32.self), let gone = number(UInt32.self),
                Int(count) * Entry.size + Int(gone) * 8 <= bytes.count - at
            else { return nil }
            var bucket = Bucket(prefix: prefix, entries: [])
            bucket.entries.reserveCapacity(Int(count))
            for _ in 0..<count {
                guard let tag = number(UInt64.self), let high = number(UInt64.self), let low = number(UInt64.self)
                else { return nil }
                bucket.entries.append(Entry(tag: tag, account: MaskedAccount(high: high, low: low)))
            }
            for _ in 0..<gone {
                guard let tag = number(UInt64.self) else { return nil }
                bucket.gone.append(tag)
            }
            return bucket
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
