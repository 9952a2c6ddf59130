import KithModel

/// A typed search: its words, and its number if the text can be one.
struct FindQuery {
    let words: [QueryWord]
    let number: TypedNumber?

    init(_ text: String, _ reader: PhoneReader) {
        let typed = Self.number(inURI: text, reader) ?? text
        words = zip(FoldedText(typed).words, FoldedText(typed.spellingUmlauts).words).map { QueryWord(Array($0), $1) }
        number = TypedNumber(typed, reader)
    }

    /// The number in a `tel:` URI, without its parameters (RFC 3966); nil if the text is no such URI.
    private static func number(inURI text: String, _ reader: PhoneReader) -> String? {
        guard text.prefix(4).lowercased() == "tel:" else { return nil }
        let number = String(text.dropFirst(4).prefix { $0 != ";" })
        return TypedNumber(number, reader) == nil ? nil : number
    }

    /// The longest word, because it is probably in the fewest names.
    var longestWord: QueryWord? { words.max { $0.length < $1.length } }

    /// Whether each word is the beginning of a word in a contact's name.
    func begins(nameOf contact: Contact) -> Bool {
        words.allSatisfy { word in contact.indexed.contains(where: word.begins) }
    }

    /// Whether each word is a whole word in a contact's name.
    func isPart(ofNameOf contact: Contact) -> Bool {
        words.allSatisfy { word in contact.indexed.contains(where: word.isWhole) }
    }

    /// Whether the shown name contains no words beyond the query. Only for contacts whose name contains each word of
    /// it.
    func isWholeName(of contact: Contact) -> Bool {
        FoldedText(contact.displayName).words.count <= words.count
    }
}
