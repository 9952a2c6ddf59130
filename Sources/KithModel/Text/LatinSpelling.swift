import Foundation

/// Spells words of other scripts in Latin letters. It caches the results, because names repeat.
package struct LatinSpelling: Sendable {
    private var known: [ArraySlice<UInt8>: String] = [:]

    /// Creates an empty cache.
    package init() {}

    /// The Latin spelling of folded words; nil if they are already Latin.
    package subscript(_ folded: ArraySlice<UInt8>) -> String? {
        mutating get {
            // U+0370, where Greek begins, is 0xCD 0xB0.
            guard folded.contains(where: { $0 >= 0xCD }) else { return nil }
            if let spelling = known[folded] { return spelling }
            let text = String(decoding: folded, as: UTF8.self)
            // A part of a syllable that is still being typed would be spelled as a single Latin letter, which many
            // names contain.
            if text.precomposedStringWithCanonicalMapping.unicodeScalars.contains(where: Self.isPartOfSyllable) {
                return nil
            }
            let spelling = text.applyingTransform(.toLatin, reverse: false) ?? text
            known[folded] = spelling
            return spelling
        }
    }
    /// Whether the character is a single letter of Hangul, not a complete syllable.
    private static func isPartOfSyllable(_ character: Unicode.Scalar) -> Bool {
        switch character.value {
        case 0x1100...0x11FF, 0x3131...0x318E, 0xA960...0xA97F, 0xD7B0...0xD7FF, 0xFFA0...0xFFDC: true
        default: false
        }
    }
}
