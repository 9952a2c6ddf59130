/// The tags of languages, such as `de`, `de-AT` and `zh-Hant-TW` (RFC 5646, section 2.1, in outline).
package enum LanguageTag {
    /// Whether a text has the form of a tag: a language of two to eight letters, and at most three subtags of at most eight
    /// letters or digits of ASCII. It is read as bytes, because each visit of a page names languages.
    package static func isTag(_ text: String) -> Bool {
        let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let language = subtags.first, (2...8).contains(language.count), subtags.count <= 4 else { return false }
        return language.allSatisfy { $0.isLetterOrDigit && !$0.isDigit }
            && subtags.dropFirst().allSatisfy { (1...8).contains($0.count) && $0.allSatisfy(\.isLetterOrDigit) }
    }
}
