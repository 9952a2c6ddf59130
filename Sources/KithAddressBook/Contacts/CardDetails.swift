import KithCards
import KithModel

/// The values of a card that searches need.
final class CardDetails: Sendable {
    /// The E.164 form of each of its phones.
    let numbers: [E164?]
    /// The canonical form of each of its emails.
    let addresses: [EmailAddress?]
    /// The marks of its numbers and emails, for linking.
    let reaching: [Int]
    /// All searchable text except the names, folded.
    let text: [UInt8]
    /// The sound keys of the words of its names.
    let sounds: [SoundAlike]

    init(_ entry: SourceContents.Entry, _ names: SearchableText, _ reader: PhoneReader) {
        let card = entry.card
        numbers = card.phones.map { reader.e164($0.number) }
        addresses = card.emails.map { EmailAddress($0.address) }
        reaching = LinkKeys.reaching(card, numbers: numbers, addresses: addresses)
        sounds = names.words.compactMap(SoundAlike.init)
        var folded = FoldedText()
        entry.forEachFurtherText { folded.append($0) }
        // Numbers without separators, so that any spelling matches.
        for (phone, number) in zip(card.phones, numbers) {
            if let number { folded.append(number.text) } else { folded.append(digits: Digits.read(phone.number)) }
        }
        text = folded.bytes
    }
}
