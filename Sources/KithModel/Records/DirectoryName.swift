/// A name in the form for directory searches: the words of its ``FoldedText``, without repeats.
///
/// `Zoë O’Brien-Ångström` becomes `zoe`, `obrien`, `angstrom`.
package struct DirectoryName: Hashable, Sendable {
    /// The words in their order, without repeats.
    package let words: [String]

    /// Creates a name from the words of a text.
    package init(_ text: String) {
        var seen: Set<ArraySlice<UInt8>> = []
        words = FoldedText(text).words.filter { seen.insert($0).inserted }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Creates a name from a search text; nil if it cannot be searched for: see ``rule``.
    package init?(sought text: String) {
        self.init(text)
        guard (1...Limits.directoryName).contains(text.unicodeScalars.count), words.count <= Limits.directoryWords,
            words.contains(where: { $0.count >= 2 })
        else { return nil }
    }

    /// The rule for search texts, as a sentence.
    package static let rule =
        "A name of 1 to \(Limits.directoryName) characters can be looked for, of at most \(Limits.directoryWords) words; one "
        + "of them must have two letters."

    /// Creates a name from the public names of a profile with these fields; empty if the profile is not listed.
    package init(listed profile: Fields) {
        let shown = profile["isListed"]?.flag == true ? Profile.shown(profile, toNetwork: false) : [:]
        self.init(["given", "family", "nick"].compactMap { shown[$0]?.text }.joined(separator: " "))
    }
}
