/// What words of TYPE stand for.
protocol TypeWord: CaseIterable, Hashable {
    /// The words in capitals, and what each stands for; the first of several is the one to write.
    static var typeWords: [(word: StaticString, meaning: Self)] { get }
}

extension TypeWord {
    /// What a word of TYPE stands for, in whatever case.
    init?(typeWord word: String) {
        var word = word
        let meaning = word.withUTF8 { letters in Self.typeWords.first { letters.spells($0.word) }?.meaning }
        guard let meaning else { return nil }
        self = meaning
    }

    /// The word of TYPE that stands for it, in small letters.
    var typeWord: String { Self.typeWords.first { $0.meaning == self }.map { "\($0.word)".lowercased() } ?? "" }
}
