import Foundation

/// The size and a 64-bit digest of an embedded value. Nothing is decoded.
///
/// Both do not depend on line folds, which an edit of the parameters changes. The digest detects accidental
/// differences, not deliberate ones.
struct EmbeddedDigest {
    private(set) var size = 0
    private(set) var digest: UInt64 = 0
    private var pending: UInt64 = 0

    init(_ value: ArraySlice<UInt8>) {
        value.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = Self.lineEnd(in: bytes, from: start)
                take(bytes, Self.trimmedASCII(bytes, start..<end))
                start = end + 1
            }
        }
        if !size.isMultiple(of: 8) { mix(pending) }
    }

    private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = bytes.baseAddress, let end = memchr(base + start, 0x0A, bytes.count - start) else {
            return bytes.count
        }
        return base.distance(to: UnsafeRawPointer(end))
    }

    private static func trimmedASCII(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Range<Int> {
        var (start, end) = (line.lowerBound, line.upperBound)
        while start < end, bytes[start] <= 0x20 { start += 1 }
        while start < end, bytes[end - 1] <= 0x20 { end -= 1 }
        return start..<end
    }

    /// Adds the bytes of a line, eight at a time. The groups of eight continue across lines.
    private mutating func take(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) {
        var index = line.lowerBound
        while index < line.upperBound {
            if size.isMultiple(of: 8), index + 8 <= line.upperBound {
                mix(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
                (index, size) = (index + 8, size + 8)
            } else {
                pending = pending >> 8 | UInt64(bytes[index]) << 56
                (index, size) = (index + 1, size + 1)
                if size.isMultiple(of: 8) { mix(pending) }
            }
        }
    }

    private mutating func mix(_ word: UInt64) {
        let product = (digest ^ word) &* 0x9E37_79B9_7F4A_7C15
        digest = product ^ (product >> 29)
        pending = 0
    }
}
