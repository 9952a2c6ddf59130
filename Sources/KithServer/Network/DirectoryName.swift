import Foundation
package import KithModel

/// A name as the directory compares it: words of small letters, without accents.
///
/// `Zoë O’Brien-Ångström` is `zoe`, `obrien`, `angstrom`. Letters that are no accented ones but are written so by who
/// lacks them are treated alike: ß is ss, ø is o.
package struct DirectoryName: Hashable, Sendable {
    /// Its words, each once, in their order.
    package let words: [String]

    /// The words of a text.
    package init(_ text: String) {
        var plain = ""
        for character in text.unicodeScalars {
            switch character {
            case "'", "`", "\u{2018}", "\u{2019}", "\u{02BC}": continue
            default: plain += Self.byHand[character] ?? String(character)
            }
        }
        let folded = plain.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        var seen: Set<Substring> = []
        words = folded.split { !($0.isLetter || $0.isNumber) }.filter { seen.insert($0).inserted }.map(String.init)
    }

    /// The words of the names in a profile with these fields that everyone may see, if it is listed.
    package init(listed profile: Fields) {
        let shown = profile["isListed"]?.flag == true ? Profile.shown(profile, toNetwork: false) : [:]
        self.init(["given", "family", "nick"].compactMap { shown[$0]?.text }.joined(separator: " "))
    }

    /// Letters that are no accented ones to Unicode.
    private static let byHand: [Unicode.Scalar: String] = [
        "ß": "ss", "ẞ": "ss", "Æ": "ae", "æ": "ae", "Œ": "oe", "œ": "oe", "Ø": "o", "ø": "o", "Ł": "l", "ł": "l",
        "Đ": "d", "đ": "d", "Ð": "d", "ð": "d", "Þ": "th", "þ": "th", "ı": "i", "Ħ": "h", "ħ": "h", "Ŧ": "t", "ŧ": "t",
    ]
}
