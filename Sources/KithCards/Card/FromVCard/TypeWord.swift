/// A meaning that words of TYPE can have.
protocol TypeWord: CaseIterable, Hashable {
    /// The words in capitals, each with its meaning. Of several words with one meaning, the first is written.
    static var typeWords: [(word: StaticString, meaning: Self)] { get }
}

extension TypeWord {
    /// The meaning of a word of TYPE, regardless of case; nil if the word has none.
    init?(typeWord word: String) {
        var word = word
        let meaning = word.withUTF8 { letters in Self.typeWords.first { letters.spells($0.word) }?.meaning }
        guard let meaning else { return nil }
        self = meaning
    }

    /// The word of TYPE to write, in small letters.
    var typeWord: String { Self.typeWords.first { $0.meaning == self }.map { "\($0.word)".lowercased() } ?? "" }
}
