/// The kinds of data that cards carry (RFC 2046), and the words of TYPE that versions 2.1 and 3.0 had for them.
enum MediaType {
    /// Of several words for one type, the first is the one to write.
    private static let words: [(word: String, type: String)] = [
        ("jpeg", "image/jpeg"), ("jpg", "image/jpeg"), ("png", "image/png"), ("gif", "image/gif"),
        ("bmp", "image/bmp"), ("tiff", "image/tiff"), ("webp", "image/webp"), ("heic", "image/heic"),
        ("svg", "image/svg+xml"), ("wave", "audio/wav"), ("wav", "audio/wav"), ("basic", "audio/basic"),
        ("mp3", "audio/mpeg"), ("ogg", "audio/ogg"), ("x509", "application/pkix-cert"),
        ("pgp", "application/pgp-keys"),
    ]
    private static let types = Dictionary(words.map { ($0.word, $0.type) }, uniquingKeysWith: { first, _ in first })

    /// The type that a word of TYPE stands for, in whatever case; nil if it stands for none. Some write the whole of it.
    static func mediaType(of word: String) -> String? {
        let word = word.lowercased()
        return types[word] ?? (word.contains("/") ? word : nil)
    }

    /// Whether a word of TYPE says what something embedded is.
    static func isWord(_ word: String) -> Bool { mediaType(of: word) != nil }

    /// The word of TYPE, in capitals, for a type in small letters; nil if there is none.
    static func word(for type: String) -> String? { words.first { $0.type == type }?.word.uppercased() }
}
