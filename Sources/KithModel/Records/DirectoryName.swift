/// A name as the directory compares it: the words of its ``FoldedText``, each once.
///
/// `Zoë O’Brien-Ångström` is `zoe`, `obrien`, `angstrom`.
package struct DirectoryName: Hashable, Sendable {
    /// Its words, each once, in their order.
    package let words: [String]

    /// The words of a text.
    package init(_ text: String) {
        var seen: Set<ArraySlice<UInt8>> = []
        words = FoldedText(text).words.filter { seen.insert($0).inserted }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The words of a text that somebody looks for; nil if it cannot be looked for: see ``rule``.
    package init?(sought text: String) {
        self.init(text)
        guard (1...Limits.directoryName).contains(text.unicodeScalars.count), words.count <= Limits.directoryWords,
            words.contains(where: { $0.count >= 2 })
        else { return nil }
    }

    /// What can be looked for, as a sentence.
    package static let rule =
        "A name of 1 to \(Limits.directoryName) characters can be looked for, of at most \(Limits.directoryWords) words; one "
        + "of them must have two letters."

    /// The words of the names in a profile with these fields that everyone may see, if it is listed.
    package init(listed profile: Fields) {
        let shown = profile["isListed"]?.flag == true ? Profile.shown(profile, toNetwork: false) : [:]
        self.init(["given", "family", "nick"].compactMap { shown[$0]?.text }.joined(separator: " "))
    }
}
