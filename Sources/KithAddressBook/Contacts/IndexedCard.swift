import KithCards
import KithModel

/// A card with the derived values that are needed to show it, computed once.
///
/// Unchanged cards are reused by the next load, so the cost of a load depends on the changes. Values that only searches
/// need are computed later, because parsing numbers takes longer than everything else and the list should be shown
/// first.
final class IndexedCard: Sendable {
    let source: SourceID
    let reference: CardReference
    let card: Card
    let alternatives: [Card.Alternative]
    /// The id of a contact that consists of this card alone.
    let id: Contact.ID
    /// The names of the card, folded for comparison.
    let names: SearchableText
    let marks: LinkKeys
    private let reader: PhoneReader
    private let kept = Once<CardDetails>()

    init(_ entry: SourceContents.Entry, id: Contact.ID, of source: SourceID, _ indexer: inout CardIndexer) {
        self.source = source
        self.id = id
        reference = entry.reference
        card = entry.card
        alternatives = entry.alternatives
        reader = indexer.reader
        marks = LinkKeys(card)
        names = indexer.names(of: entry)
    }

    /// The values that searches need, computed at their first use.
    var details: CardDetails { kept { CardDetails(entry, names, reader) } }

    /// The extension in a number of the card; nil if it has none.
    func `extension`(of number: String) -> String? { reader.extension(of: number) }

    /// The current cards of a source. Unchanged cards are reused.
    static func indexed(
        _ entries: [SourceContents.Entry], of source: SourceID, before: [IndexedCard], by reader: PhoneReader
    ) async -> [IndexedCard] {
        let known = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
        let prefix = source.prefixOfIDs
        return await inParallel(entries.count) { range in
            var indexer = CardIndexer(reader: reader)
            return range.map { index in
                let entry = entries[index]
                if index < before.count, before[index].matches(entry) { return before[index] }
                let id = Contact.ID(rawValue: prefix + entry.reference.name)
                if let indexed = known[id], indexed.matches(entry) { return indexed }
                return IndexedCard(entry, id: id, of: source, &indexer)
            }
        }.flatMap(\.self)
    }

    /// Computes the missing details of these cards, on all cores.
    static func detail(_ cards: [IndexedCard]) async {
        _ = await inParallel(cards.count, stretch: 256) { range in
            for card in cards[range] { _ = card.details }
        }
    }

    /// The card and its reference.
    var entry: SourceContents.Entry {
        SourceContents.Entry(reference: reference, card: card, alternatives: alternatives)
    }

    private func matches(_ entry: SourceContents.Entry) -> Bool {
        reference == entry.reference && card == entry.card && alternatives == entry.alternatives
    }
}

extension IndexedCard: Hashable {
    /// Whether both have the same content.
    static func == (left: IndexedCard, right: IndexedCard) -> Bool {
        left === right
            || left.id == right.id && left.card == right.card && left.alternatives == right.alternatives
                && left.hasNumbers(of: right)
    }

    /// Whether an equal card has the same parsed numbers. It has if the region is the same.
    private func hasNumbers(of other: IndexedCard) -> Bool {
        reader.region == other.reader.region || details.numbers == other.details.numbers
    }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension SourceContents.Entry {
    /// Calls `body` with each name of the card, in every language, and with its pronunciation.
    func forEachName(_ body: (String) -> Void) {
        card.forEachName(body)
        for other in alternatives where other.kind == .fullName || other.kind == .nameParts { body(other.text) }
    }

    /// Calls `body` with all other searchable text, in every language.
    func forEachFurtherText(_ body: (String) -> Void) {
        card.forEachFurtherText(body)
        for other in alternatives where other.kind == .organization || other.kind == .title { body(other.text) }
    }
}

extension Card {
    /// Calls `body` with each name of the card, and with its pronunciation.
    fileprivate func forEachName(_ body: (String) -> Void) {
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

    /// Calls `body` with all other searchable text.
    fileprivate func forEachFurtherText(_ body: (String) -> Void) {
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
