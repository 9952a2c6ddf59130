import KithModel

/// A card, with all that linking, sorting and finding take, worked out once.
///
/// A card that has not changed from one load to the next stays filed as it is,
/// so that a load costs what has changed.
final class FiledCard: Sendable {
    typealias Contact = AddressBook.Contact

    let source: AddressBook.SourceID
    let reference: CardReference
    let card: Card
    /// The id of a contact that consists of this card alone.
    let id: Contact.ID
    /// The E.164 form of each of its phones.
    let numbers: [E164?]
    /// The canonical form of each of its emails.
    let addresses: [EmailAddress?]
    /// What it is called, folded.
    let names: SearchableText
    /// All else that people may look for, folded.
    let text: SearchableText
    /// What the words of its names sound like.
    let sounds: [SoundAlike]
    let marks: LinkMarks

    init(_ entry: SourceContents.Entry, id: Contact.ID, of source: AddressBook.SourceID, _ clerk: inout FilingClerk) {
        self.source = source
        self.id = id
        reference = entry.reference
        card = entry.card
        numbers = card.phones.map { clerk.reader.e164($0.number) }
        addresses = card.emails.map { EmailAddress($0.address) }
        marks = LinkMarks(card, numbers: numbers, addresses: addresses)
        names = clerk.names(of: card)
        sounds = names.words.compactMap(SoundAlike.init)
        text = clerk.text(of: card, numbers)
    }

    /// The cards that a source holds now. Those that have not changed stay as they were filed.
    static func filed(
        _ entries: [SourceContents.Entry], of source: AddressBook.SourceID, before: [FiledCard], by reader: PhoneReader
    ) async -> [FiledCard] {
        let known = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
        let prefix = source.prefixOfIDs
        return await inParallel(entries.count) { range in
            var clerk = FilingClerk(reader: reader)
            return range.map { place in
                let entry = entries[place]
                if place < before.count, before[place].isFiled(entry) { return before[place] }
                let id = Contact.ID(prefix + entry.reference.name)
                if let filed = known[id], filed.isFiled(entry) { return filed }
                return FiledCard(entry, id: id, of: source, &clerk)
            }
        }.flatMap(\.self)
    }

    /// What was filed.
    var entry: SourceContents.Entry { SourceContents.Entry(reference: reference, card: card) }

    private func isFiled(_ entry: SourceContents.Entry) -> Bool {
        reference == entry.reference && card == entry.card
    }
}

/// Files cards, one after the other.
struct FilingClerk {
    let reader: PhoneReader
    private var spelling = LatinSpelling()
    private var draft = FoldedText()

    init(reader: PhoneReader) { self.reader = reader }

    mutating func names(of card: Card) -> SearchableText {
        draft.removeAll()
        card.forEachName { draft.append(name: $0, &spelling) }
        return SearchableText(draft)
    }

    mutating func text(of card: Card, _ numbers: [E164?]) -> SearchableText {
        draft.removeAll()
        card.forEachFurtherText { draft.append($0) }
        // In one piece, however they were written.
        for (phone, number) in zip(card.phones, numbers) {
            if let number { draft.append(number.text) } else { draft.append(digits: Digits.read(phone.number)) }
        }
        return SearchableText(draft)
    }
}

extension FiledCard: Hashable {
    /// Whether the same can be shown of both.
    static func == (left: FiledCard, right: FiledCard) -> Bool {
        left === right || (left.id == right.id && left.card == right.card && left.numbers == right.numbers)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
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
