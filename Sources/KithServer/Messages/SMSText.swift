/// The text of an SMS, in the encoding in which networks carry it, and the number of its parts. Each part is paid.
///
/// A text of the GSM alphabet has 160 characters in one part, or 153 in each of several; characters of its extension
/// count twice. Any other text is UTF-16, with 70 units in one part or 67 in each of several (3GPP TS 23.038, section
/// 6.2; TS 23.040, section 9.2.3.24).
package struct SMSText: Hashable, Sendable {
    package let text: String

    /// A text. Typographic quotes, dashes and ellipses become plain ones if all else is in the GSM alphabet.
    package init(_ text: String) {
        let plain = text.map { Self.plain[$0] ?? String($0) }.joined()
        self.text = Self.sizes(plain) == nil ? text : plain
    }

    /// The number of parts.
    package var parts: Int {
        if let sizes = Self.sizes(text) { return Self.parts(sizes, single: 160, several: 153) }
        return Self.parts(text.unicodeScalars.map { $0.value > 0xFFFF ? 2 : 1 }, single: 70, several: 67)
    }

    /// The parts that characters of these sizes need. A character is never divided.
    private static func parts(_ sizes: [Int], single: Int, several: Int) -> Int {
        if sizes.reduce(0, +) <= single { return 1 }
        var (parts, used) = (1, 0)
        for size in sizes {
            if used + size > several { (parts, used) = (parts + 1, 0) }
            used += size
        }
        return parts
    }

    /// The size of each character in the GSM alphabet; nil if one is not in it.
    private static func sizes(_ text: String) -> [Int]? {
        var sizes: [Int] = []
        for scalar in text.unicodeScalars {
            if alphabet.contains(scalar) {
                sizes.append(1)
            } else if fromExtension.contains(scalar) {
                sizes.append(2)
            } else {
                return nil
            }
        }
        return sizes
    }

    private static let plain: [Character: String] = [
        "’": "'", "‘": "'", "‚": "'", "“": "\"", "”": "\"", "„": "\"", "«": "\"", "»": "\"", "–": "-", "—": "-",
        "…": "...", "\u{A0}": " ", "\u{202F}": " ",
    ]

    private static let alphabet = Set(
        """
        @£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿\
        abcdefghijklmnopqrstuvwxyzäöñüà
        """.unicodeScalars)

    private static let fromExtension = Set("\u{C}^{}\\[~]|€".unicodeScalars)
}
