import KithCards
import KithModel

/// A typed search: words, and perhaps a number.
struct FindQuery {
    let words: [FindWord]
    let number: TypedNumber?

    init(_ typed: String, _ reader: PhoneReader) {
        words = zip(FoldedText(typed).words, FoldedText(typed.spellingUmlauts).words).map { FindWord(Array($0), $1) }
        number = TypedNumber(typed, reader)
    }

    /// The word that is probably in the fewest names.
    var longestWord: FindWord? { words.max { $0.length < $1.length } }

    /// Whether each word begins a word of a contact's name.
    func begins(nameOf contact: Contact) -> Bool {
        words.allSatisfy { word in contact.filed.contains(where: word.begins) }
    }

    /// Whether each word is a whole word of a contact's name.
    func isPart(ofNameOf contact: Contact) -> Bool {
        words.allSatisfy { word in contact.filed.contains(where: word.isWhole) }
    }

    /// Whether a contact, each word of whose name this is, has no other word in the name that is shown.
    func isWholeName(of contact: Contact) -> Bool {
        FoldedText(contact.displayName).words.count <= words.count
    }
}
