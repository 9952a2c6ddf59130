import Foundation

extension String {
    /// Whether it may have umlauts: an ä, ö, ü or ø.
    package var hasUmlauts: Bool {
        // The first bytes in UTF-8 of U+00C0 to U+00FF, and of the diaeresis by itself.
        utf8.contains { $0 == 0xC3 || $0 == 0xCC }
    }

    /// The text with each umlaut as two letters, as those write it who lack the umlaut: `Joerg` for `Jörg`.
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
