import KithCards
import KithModel

/// A card, with all that showing it among others takes, worked out once.
///
/// A card that has not changed from one load to the next stays filed as it is, so that a load costs what has changed.
/// What only finding takes is left for later: numbers cost more than all else together, and a book is to be seen first.
final class FiledCard: Sendable {
    typealias Contact = AddressBook.Contact

    let source: AddressBook.SourceID
    let reference: CardReference
    let card: Card
    /// The id of a contact that consists of this card alone.
    let id: Contact.ID
    /// What it is called, folded.
    let names: SearchableText
    let marks: LinkMarks
    private let reader: PhoneReader
    private let kept = Once<CardDetails>()

    init(_ entry: SourceContents.Entry, id: Contact.ID, of source: AddressBook.SourceID, _ clerk: inout FilingClerk) {
        self.source = source
        self.id = id
        reference = entry.reference
        card = entry.card
        reader = clerk.reader
        marks = LinkMarks(card)
        names = clerk.names(of: card)
    }

    /// What is asked of a card that somebody looks for. The first who asks works it out.
    var details: CardDetails { kept { CardDetails(card, names, reader) } }

    /// The cards that a source holds now. Those that have not changed stay as they were filed.
    static func filed(
        _ entries: [SourceContents.Entry], of source: AddressBook.SourceID, before: [FiledCard], by reader: PhoneReader
    ) async -> [FiledCard] {
        let known = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
        let prefix = source.prefixOfIDs
        return await inParallel(entries.count) { range in
            var clerk = FilingClerk(reader: reader)
            return range.map { index in
                let entry = entries[index]
                if index < before.count, before[index].isFiled(entry) { return before[index] }
                let id = Contact.ID(rawValue: prefix + entry.reference.name)
                if let filed = known[id], filed.isFiled(entry) { return filed }
                return FiledCard(entry, id: id, of: source, &clerk)
            }
        }.flatMap(\.self)
    }

    /// Works out the details of all cards that lack them.
    static func detail(_ cards: [FiledCard]) async {
        _ = await inParallel(cards.count, stretch: 256) { range in
            for card in cards[range] { _ = card.details }
        }
    }

    /// What was filed.
    var entry: SourceContents.Entry { SourceContents.Entry(reference: reference, card: card) }

    private func isFiled(_ entry: SourceContents.Entry) -> Bool {
        reference == entry.reference && card == entry.card
    }
}

extension FiledCard: Hashable {
    /// Whether the same can be shown of both.
    static func == (left: FiledCard, right: FiledCard) -> Bool {
        left === right || (left.id == right.id && left.card == right.card && left.hasNumbers(of: right))
    }

    /// Whether the numbers of an equal card are the same ones. Dialled in one region, they are.
    private func hasNumbers(of other: FiledCard) -> Bool {
        reader.region == other.reader.region || details.numbers == other.details.numbers
    }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// What is asked of a card that somebody looks for.
final class CardDetails: Sendable {
    /// The E.164 form of each of its phones.
    let numbers: [E164?]
    /// The canonical form of each of its emails.
    let addresses: [EmailAddress?]
    /// By which numbers and emails it may be found to be of the same person as another of its name.
    let reaching: [Int]
    /// All but its names that people may look for, folded.
    let text: [UInt8]
    /// What the words of its names sound like.
    let sounds: [SoundAlike]

    fileprivate init(_ card: Card, _ names: SearchableText, _ reader: PhoneReader) {
        numbers = card.phones.map { reader.e164($0.number) }
        addresses = card.emails.map { EmailAddress($0.address) }
        reaching = LinkMarks.reaching(card, numbers: numbers, addresses: addresses)
        sounds = names.words.compactMap(SoundAlike.init)
        var folded = FoldedText()
        card.forEachFurtherText { folded.append($0) }
        // In one piece, however they were written.
        for (phone, number) in zip(card.phones, numbers) {
            if let number { folded.append(number.text) } else { folded.append(digits: Digits.read(phone.number)) }
        }
        text = folded.bytes
    }
}

/// Files cards, one after the other.
struct FilingClerk {
    let reader: PhoneReader
    private var spelling = LatinSpelling()
    private var draft = FoldedText()
    private var seen: Set<Int> = []

    init(reader: PhoneReader) { self.reader = reader }

    mutating func names(of card: Card) -> SearchableText {
        draft.removeAll()
        seen.removeAll(keepingCapacity: true)
        card.forEachName { draft.append(name: $0, &spelling, &seen) }
        return SearchableText(draft)
    }
}

extension Card {
    /// Calls `body` with all that it is called, and with how that is pronounced.
    func forEachName(_ body: (String) -> Void) {
        if let full = name.full { body(full) }
        for component in name.components {
            body(component.value)
            if let phonetic = component.phonetic { body(phonetic) }
        }
        for nickname in nicknames { body(nickname.name) }
        if kind == .org || name.full == nil && name.components.isEmpty {
            for organization in organizations { organization.name.map(body) }
        }
    }

    /// Calls `body` with all else that people may look for.
    func forEachFurtherText(_ body: (String) -> Void) {
        for organization in organizations {
            organization.name.map(body)
            organization.units.forEach(body)
        }
        for title in titles { body(title.name) }
        for phone in phones { body(phone.number) }
        for email in emails { body(email.address) }
        for address in addresses {
            address.full.map(body)
            for component in address.components { body(component.value) }
        }
        for service in onlineServices {
            service.service.map(body)
            service.uri.map(body)
            service.user.map(body)
        }
        for note in notes { body(note.note) }
        for link in links { if case .uri(let uri) = link.content { body(uri) } }
        for relation in relatedTo { body(relation.other) }
        for info in personalInfo { body(info.value) }
        for keyword in keywords { body(keyword) }
    }
}
