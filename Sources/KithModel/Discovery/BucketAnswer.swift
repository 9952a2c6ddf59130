package import Foundation

/// The answer to a lookup of buckets: `POST /v1/discovery/buckets`.
///
/// It is encoded as bytes, with numbers in big-endian order:
///
/// - the header: `KDB1`; the sequence up to which the buckets are complete, 8 bytes; 0 for whole buckets or 1 for
///   changes, 1 byte; the number of bits of a prefix, 1 byte
/// - for each bucket: its prefix, the number of its entries, and the number of its removed entries, 4 bytes each
/// - then in the same bucket: the entries, 24 bytes each (the tag, then the masked account); the tags of the removed
///   entries, 8 bytes each
///
/// A compact answer has whole buckets in 21 bytes an entry. Its mark is `KDB2`, and each bucket consists of its prefix, the
/// number of its entries and the number of bytes of their tags, 4 bytes each; the first ``compactTagBits`` bits of the tags,
/// ascending, as Rice codes (``RiceWriter``); and the masked accounts in the same order.
package struct BucketAnswer: Hashable, Sendable {
    /// The entries of one bucket, or their changes.
    package struct Bucket: Hashable, Sendable {
        /// The bucket's prefix.
        package var prefix: UInt32
        /// The entries: all of them, or those that are new or changed.
        package var entries: [Entry]
        /// The tags of the removed entries.
        package var gone: [UInt64]

        /// Creates a bucket with these entries.
        package init(prefix: UInt32, entries: [Entry], gone: [UInt64] = []) {
            (self.prefix, self.entries, self.gone) = (prefix, entries, gone)
        }
    }

    /// One registered identity, or padding. Without the output of the identity the two look the same.
    package struct Entry: Hashable, Sendable {
        /// The tag, which identifies the entry in its bucket.
        package var tag: UInt64
        /// The account of the identity.
        package var account: MaskedAccount

        /// Creates an entry with this tag and account.
        package init(tag: UInt64, account: MaskedAccount) { (self.tag, self.account) = (tag, account) }

        /// The size of an encoded entry in bytes.
        package static let size = 24
        /// The usual size of an entry of a compact answer in bytes.
        package static let compactSize = 21
    }

    /// The sequence up to which the buckets are complete.
    package var sequence: Int64
    /// Whether the answer contains only changes.
    package var isChanges: Bool
    /// Whether the answer is compact. Its tags end with zeros.
    package var isCompact: Bool
    /// The number of bits of a prefix.
    package var bits: Int
    /// The buckets. There can be fewer than requested; the client then requests the missing ones again.
    package var buckets: [Bucket]

    /// Creates an answer with these buckets.
    package init(sequence: Int64, isChanges: Bool, isCompact: Bool = false, bits: Int, buckets: [Bucket]) {
        (self.sequence, self.isChanges, self.bits, self.buckets) = (sequence, isChanges, bits, buckets)
        self.isCompact = isCompact && !isChanges
    }

    /// The number of bits of a tag in a compact answer. A tag is found by mistake once in 2^35 lookups.
    package static let compactTagBits = 44

    /// A tag as the answer has it.
    package func shown(_ tag: UInt64) -> UInt64 {
        isCompact ? (tag >> Self.hiddenBits) << Self.hiddenBits : tag
    }

    private static let hiddenBits = UInt64(64 - compactTagBits)
    private static let (mark, compactMark) = (Array("KDB1".utf8), Array("KDB2".utf8))

    /// The encoded answer.
    package var data: Data {
        let count = buckets.reduce(14) { $0 + 12 + $1.entries.count * Entry.size + $1.gone.count * 8 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        bytes += isCompact ? Self.compactMark : Self.mark
        bytes.append(sequence)
        bytes += [isChanges ? 1 : 0, UInt8(bits)]
        for bucket in buckets {
            if isCompact {
                Self.append(compact: bucket, to: &bytes)
                continue
            }
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

    private static func append(compact bucket: Bucket, to bytes: inout [UInt8]) {
        // Equal tags keep their order.
        let entries = bucket.entries.enumerated().map { ($0.element.tag >> hiddenBits, $0.offset, $0.element.account) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        var tags = RiceWriter(width: width(of: entries.count))
        for (tag, _, _) in entries { tags.append(tag) }
        let codes = tags.finished()
        bytes.append(bucket.prefix)
        bytes.append(UInt32(entries.count))
        bytes.append(UInt32(codes.count))
        bytes += codes
        for (_, _, account) in entries {
            bytes.append(account.high)
            bytes.append(account.low)
        }
    }

    /// The width of the codes of so many tags: their average difference in bits, rounded down.
    private static func width(of count: Int) -> Int { compactTagBits - (Int.bitWidth - count.leadingZeroBitCount) }

    /// Decodes an answer; nil if the bytes are not valid.
    package init?(_ data: Data) {
        let answer = data.withUnsafeBytes { bytes -> BucketAnswer? in
            var reader = Reader(bytes)
            let isCompact = bytes.prefix(4).elementsEqual(Self.compactMark)
            guard isCompact || bytes.prefix(4).elementsEqual(Self.mark) else { return nil }
            reader.at = 4
            guard let sequence = reader.number(Int64.self), let kind = reader.number(UInt8.self), kind < 2,
                let bits = reader.number(UInt8.self), bits <= 32, kind == 0 || !isCompact
            else { return nil }
            var answer = BucketAnswer(
                sequence: sequence, isChanges: kind == 1, isCompact: isCompact, bits: Int(bits), buckets: [])
            while reader.at < bytes.count {
                guard let bucket = isCompact ? reader.compactBucket() : reader.bucket() else { return nil }
                answer.buckets.append(bucket)
            }
            return answer
        }
        guard let answer else { return nil }
        self = answer
    }

    /// Reads numbers until the end of the bytes.
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

        mutating func compactBucket() -> Bucket? {
            guard let prefix = number(UInt32.self), let count = number(UInt32.self), let size = number(UInt32.self),
                Int(count) * 16 + Int(size) <= bytes.count - at
            else { return nil }
            let codes = UnsafeRawBufferPointer(rebasing: bytes[at..<(at + Int(size))])
            var tags = RiceReader(codes, width: BucketAnswer.width(of: Int(count)))
            at += Int(size)
            var bucket = Bucket(prefix: prefix, entries: [])
            bucket.entries.reserveCapacity(Int(count))
            for _ in 0..<count {
                guard let tag = tags.next(), tag >> UInt64(BucketAnswer.compactTagBits) == 0,
                    let high = number(UInt64.self), let low = number(UInt64.self)
                else { return nil }
                let account = MaskedAccount(high: high, low: low)
                bucket.entries.append(Entry(tag: tag << BucketAnswer.hiddenBits, account: account))
            }
            return tags.isAtEnd ? bucket : nil
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
