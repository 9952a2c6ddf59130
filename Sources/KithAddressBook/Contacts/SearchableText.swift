import Foundation
import KithModel

/// Folded words that can be searched.
struct SearchableText: Sendable {
    /// The words, ended by a zero byte, so that `strstr` can search them, which is ten times as fast as a loop in
    /// Swift.
    private let bytes: [UInt8]

    init(_ folded: [UInt8]) {
        bytes = Array(unsafeUninitializedCapacity: folded.count + 1) { bytes, count in
            _ = bytes.initialize(from: folded)
            bytes[folded.count] = 0
            count = folded.count + 1
        }
    }

    init(_ text: FoldedText) { self.init(text.bytes) }

    /// The words, each preceded by a space.
    var folded: ArraySlice<UInt8> { bytes.dropLast() }

    /// The words.
    var words: [ArraySlice<UInt8>] { folded.split(separator: UInt8(ascii: " ")) }

    /// Whether the text contains the letters of `other` in a row.
    func contains(_ other: SearchableText) -> Bool {
        bytes.withUnsafeBytes { text in
            other.bytes.withUnsafeBytes { other in
                guard let text = text.baseAddress, let other = other.baseAddress else { return false }
                return strstr(text.assumingMemoryBound(to: CChar.self), other.assumingMemoryBound(to: CChar.self))
                    != nil
            }
        }
    }

    /// Whether the text contains `word`, which begins with a space, as a whole word.
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
