import Foundation
import KithModel

/// Folded words that are searched.
struct SearchableText: Sendable {
    /// The words with a zero at the end, so that the C library can search them, which is ten times as fast.
    private let bytes: [UInt8]

    init(_ folded: [UInt8]) {
        bytes = Array(unsafeUninitializedCapacity: folded.count + 1) { bytes, count in
            _ = bytes.initialize(from: folded)
            bytes[folded.count] = 0
            count = folded.count + 1
        }
    }

    init(_ text: FoldedText) { self.init(text.bytes) }

    /// The words, each with a space before it.
    var folded: ArraySlice<UInt8> { bytes.dropLast() }

    /// The words.
    var words: [ArraySlice<UInt8>] { folded.split(separator: UInt8(ascii: " ")) }

    /// Whether the letters of `other` stand here in a row.
    func contains(_ other: SearchableText) -> Bool {
        bytes.withUnsafeBytes { text in
            other.bytes.withUnsafeBytes { other in
                guard let text = text.baseAddress, let other = other.baseAddress else { return false }
                return strstr(text.assumingMemoryBound(to: CChar.self), other.assumingMemoryBound(to: CChar.self))
                    != nil
            }
        }
    }

    /// Whether `word`, with the space before it, stands here whole.
    func hasWord(_ word: SearchableText) -> Bool {
        bytes.withUnsafeBytes { text in
            word.bytes.withUnsafeBytes { word in
                guard var rest = text.baseAddress?.assumingMemoryBound(to: CChar.self),
                    let sought = word.baseAddress?.assumingMemoryBound(to: CChar.self)
                else { return false }
                while let found = strstr(rest, sought) {
                    let end = found + word.count - 1
                    if end.pointee == 0 || end.pointee == CChar(UInt8(ascii: " ")) { return true }
                    rest = UnsafePointer(end)
                }
                return false
            }
        }
    }
}
