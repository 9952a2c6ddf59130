import Foundation

extension String {
    /// Whether the text may have umlauts: ä, ö, ü or ø.
    package var hasUmlauts: Bool {
        // These are the first UTF-8 bytes of U+00C0 to U+00FF, and of the combining diaeresis.
        utf8.contains { $0 == 0xC3 || $0 == 0xCC }
    }

    /// The text with two letters for each umlaut, as it is usually spelled without umlauts: `Joerg` for `Jörg`.
    package var spellingUmlauts: String {
        guard hasUmlauts else { return self }
        var spelled = String.UnicodeScalarView()
        for character in precomposedStringWithCanonicalMapping.unicodeScalars {
            spelled.append(contentsOf: (Self.umlauts[character] ?? String(character)).unicodeScalars)
        }
        return String(spelled)
    }

    private static let umlauts: [Unicode.Scalar: String] = [
        "ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Ø": "Oe",
    ]
}
