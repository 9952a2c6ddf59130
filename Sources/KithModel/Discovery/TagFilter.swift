package import Foundation

/// The tags of all entries of a key's buckets, compressed: `GET /v1/discovery/filter`.
///
/// A device that knows the output of an identity can test whether the identity is registered, without naming its bucket.
/// The filter contains nothing that the buckets do not contain. A tag is never missing; of the tags that are in no
/// bucket, one in 2^``width`` seems to be present.
///
/// It is a Golomb-coded set. Each tag is scaled to a number below `count` × 2^`width`, and the sorted numbers are written
/// as Rice codes. It is encoded as bytes, with numbers in big-endian order: `KDF1`; the sequence up to which it is
/// complete, 8 bytes; the number of tags, 4 bytes; the width, 1 byte; the codes.
package struct TagFilter: Hashable, Sendable {
    /// The sequence up to which the filter is complete.
    package let sequence: Int64
    /// The number of tags.
    package let count: Int
    private let width: Int
    private let codes: Data

    /// The width of new filters: one tag in 4,096 is found by mistake.
    package static let width = 12
    private static let widths = 1...20
    private static let mark = Array("KDF1".utf8)
    private static let headerSize = 17

    /// The usual size of a filter in bytes. A tag needs about 13.6 bits.
    package static func size(of count: Int) -> Int { headerSize + count * 109 / 64 }

    /// Creates a filter of these tags, fewer than 2^32, in any order.
    package init(_ tags: some Collection<UInt64>, sequence: Int64) {
        (self.sequence, count, width) = (sequence, tags.count, Self.width)
        var writer = RiceWriter(width: Self.width)
        for number in tags.map({ Self.scaled($0, tags.count, Self.width) }).sorted() { writer.append(number) }
        codes = Data(writer.finished())
    }

    /// Decodes a filter; nil if the bytes are not valid. It needs no more memory than the bytes themselves.
    package init?(_ data: Data) {
        guard data.count >= Self.headerSize, data.prefix(4).elementsEqual(Self.mark) else { return nil }
        let header = data.dropFirst(4).prefix(13).map { UInt64($0) }
        sequence = Int64(bitPattern: header.prefix(8).reduce(0) { $0 << 8 | $1 })
        count = Int(header[8..<12].reduce(0) { $0 << 8 | $1 })
        width = Int(header[12])
        codes = Data(data.dropFirst(Self.headerSize))
        guard Self.widths.contains(width), count <= 8 * codes.count / (width + 1) else { return nil }
        var isComplete = false
        codes.withUnsafeBytes { bytes in
            var reader = RiceReader(bytes, width: width)
            for _ in 0..<count {
                guard let number = reader.next(), number < UInt64(count) << UInt64(width) else { return }
            }
            isComplete = reader.isAtEnd
        }
        guard isComplete else { return nil }
    }

    /// The encoded filter.
    package var data: Data {
        var bytes = Self.mark
        withUnsafeBytes(of: sequence.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: UInt32(count).bigEndian) { bytes += $0 }
        bytes.append(UInt8(width))
        return Data(bytes) + codes
    }

    /// Those of the tags that the filter contains or seems to contain.
    package func present(of tags: [UInt64]) -> Set<UInt64> {
        guard count > 0 else { return [] }
        let wanted = tags.map { (number: Self.scaled($0, count, width), tag: $0) }.sorted { $0.number < $1.number }
        var found: Set<UInt64> = []
        codes.withUnsafeBytes { bytes in
            var reader = RiceReader(bytes, width: width)
            var (next, left) = (reader.next(), count - 1)
            for (number, tag) in wanted {
                while let known = next, known < number { (next, left) = (left > 0 ? reader.next() : nil, left - 1) }
                if next == number { found.insert(tag) }
            }
        }
        return found
    }

    private static func scaled(_ tag: UInt64, _ count: Int, _ width: Int) -> UInt64 {
        tag.multipliedFullWidth(by: UInt64(count) << UInt64(width)).high
    }
}
