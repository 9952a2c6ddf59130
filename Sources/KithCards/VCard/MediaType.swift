/// The media types of embedded data (RFC 2046), and their words for TYPE in versions 2.1 and 3.0.
enum MediaType {
    /// If a type has several words, the first one is written.
    private static let words: [(word: String, type: String)] = [
        ("jpeg", "image/jpeg"), ("jpg", "image/jpeg"), ("png", "image/png"), ("gif", "image/gif"),
        ("bmp", "image/bmp"), ("tiff", "image/tiff"), ("webp", "image/webp"), ("heic", "image/heic"),
        ("svg", "image/svg+xml"), ("wave", "audio/wav"), ("wav", "audio/wav"), ("basic", "audio/basic"),
        ("mp3", "audio/mpeg"), ("ogg", "audio/ogg"), ("x509", "application/pkix-cert"),
        ("pgp", "application/pgp-keys"),
    ]
    private static let types = Dictionary(words.map { ($0.word, $0.type) }, uniquingKeysWith: { first, _ in first })

    /// The type for a word of TYPE, regardless of case; nil if there is none. Some programs write the full type.
    static func mediaType(of word: String) -> String? {
        let word = word.lowercased()
        return types[word] ?? (word.contains("/") ? word : nil)
    }

    /// Whether a word of TYPE names a media type.
    static func isWord(_ word: String) -> Bool { mediaType(of: word) != nil }

    /// The word of TYPE, in capitals, for a type in small letters; nil if there is none.
    static func word(for type: String) -> String? { words.first { $0.type == type }?.word.uppercased() }
}
