import Foundation
import Kith
import KithCards
import KithModel

/// The result of a load: all contacts in order, with their search tables.
///
/// It is immutable, so readers keep a consistent state while another load runs.
struct ContactBook: Sendable {
    /// The input of a book.
    struct Plan: Sendable {
        /// The cards, in the order of the sources.
        var cards: [IndexedCard] = []
        var decisions = LinkDecisions()
        var order = NameOrder.familyFirst
        var locale = Locale.current
        var matches = ContactMatches.none

        /// Whether both plans result in the same arrangement; the known accounts may differ.
        func arranges(as other: Plan) -> Bool {
            order == other.order && locale == other.locale && decisions == other.decisions
                && cards.elementsEqual(other.cards, by: ===)
        }
    }

    /// The contacts in the order of their names.
    private(set) var contacts: [Contact]
    private(set) var sections: [ContactSection]
    let tables: LazyTables
    private var plan: Plan
    /// The place of the contact of each card, in the order of the plan.
    private let placesOfCards: [Int]
    private let alphabet: Alphabet

    /// The known accounts of the contacts' identities.
    var matches: ContactMatches { plan.matches }

    /// The book of a plan. Reuses the alphabet of `previous` if possible.
    init(_ plan: Plan, after previous: ContactBook? = nil) async {
        let groups = await Linking.groups(of: plan.cards, plan.decisions)
        let drafts = await inParallel(groups.count) { range in
            groups[range].map { Draft($0.map { plan.cards[$0] }, plan.order) }
        }.flatMap(\.self)
        let alphabet = await Alphabet(of: drafts, in: plan.locale, previous?.alphabet)
        let keys = await inParallel(drafts.count) { range in drafts[range].map { alphabet.key(of: $0.fields) } }
            .flatMap(\.self)
        let order = drafts.indices.sorted { left, right in
            let (one, other) = (keys[left].key, keys[right].key)
            if one.head != other.head { return one.head < other.head }
            return one == other ? drafts[left].id.rawValue < drafts[right].id.rawValue : one < other
        }
        let contacts = order.map { place in
            Contact(
                id: drafts[place].id, indexed: drafts[place].cards, order: plan.order, sectionTitle: keys[place].title,
                matches: plan.matches)
        }
        var placesOfCards = [Int](repeating: 0, count: plan.cards.count)
        for (place, draft) in order.enumerated() {
            for card in groups[draft] { placesOfCards[card] = place }
        }
        self.contacts = contacts
        self.plan = plan
        self.placesOfCards = placesOfCards
        tables = LazyTables(of: contacts)
        self.alphabet = alphabet
        sections = Self.sections(of: contacts)
    }

    /// The book of a plan, with the differences from this one. This book is reused if only the known accounts differ.
    func following(_ plan: Plan) async -> (book: ContactBook, changed: Changed<Contact>) {
        guard plan.arranges(as: self.plan) else {
            let book = await ContactBook(plan, after: self)
            return (book, book.difference(from: self))
        }
        var (book, changed) = (self, Changed<Contact>(origin: .device))
        let others = matches.difference(from: plan.matches)
        if matches === plan.matches { return (book, changed) }
        book.plan = plan
        for place in contacts.indices {
            book.contacts[place].matches = plan.matches
            if !others.isEmpty, contacts[place].isAny(of: others) {
                changed.add(contacts[place], book.contacts[place])
            }
        }
        book.sections = Self.sections(of: book.contacts)
        return (book, changed)
    }

    static func sections(of contacts: [Contact]) -> [ContactSection] {
        var sections: [ContactSection] = []
        var start = 0
        while start < contacts.count {
            let title = contacts[start].sectionTitle
            let end = contacts[start...].firstIndex { $0.sectionTitle != title } ?? contacts.count
            sections.append(ContactSection(title: title, contacts: Array(contacts[start..<end])))
            start = end
        }
        return sections
    }

    /// The differences from `previous`.
    func difference(from previous: ContactBook) -> Changed<Contact> {
        var changed = Changed<Contact>(origin: .device)
        for contact in contacts { changed.add(previous.contact(whoseIDIs: contact.id), contact) }
        for contact in previous.contacts where self.contact(whoseIDIs: contact.id) == nil { changed.add(contact, nil) }
        return changed
    }
}

extension Alphabet {
    /// An alphabet for these contacts: `previous` if it contains all their characters.
    init(of drafts: [Draft], in locale: Locale, _ previous: Alphabet?) async {
        let characters = await inParallel(drafts.count) { range in
            drafts[range].reduce(into: Set()) { characters, draft in
                for field in draft.fields { Self.add(charactersOf: field, to: &characters) }
            }
        }.reduce(into: Set()) { $0.formUnion($1) }
        if let previous, previous.knows(characters) { self = previous } else { self.init(of: characters, in: locale) }
    }
}

// MARK: - Finding

extension ContactBook {
    // MARK: One contact

    /// The contact that contains this card, or nil.
    func contact(_ id: Contact.ID) -> Contact? {
        for place in tables.names.ids.places(of: PlaceTable.key(of: id))
        where contacts[place].indexed.contains(where: { $0.id == id }) {
            return contacts[place]
        }
        return nil
    }

    /// The contact with this id, or nil. Ids of its other cards do not count.
    func contact(whoseIDIs id: Contact.ID) -> Contact? { contact(id).flatMap { $0.id == id ? $0 : nil } }

    /// The contact with a number. If there are several, the names decide.
    func contact(withPhone sought: PhoneIdentity, _ names: NameQuery) -> Contact? {
        names.best(of: places(of: sought).map { contacts[$0] }) { card in
            zip(card.card.phones, card.details.numbers).contains { PhoneIdentity($0.number, $1) == sought }
        }
    }

    /// The places of the contacts that may have a number, in order.
    ///
    /// Until the tables are built, the numbers as written select them, so that the first look-up in a large book waits
    /// only for the numbers that end like the sought one.
    private func places(of sought: PhoneIdentity) -> [Int] {
        if !tables.isFindingReady, let ending = NumberEnding(sought) {
            return places(ofCards: ending.mayBe)
        }
        return switch sought {
        case .e164(let number): Array(tables.finding.international.places(of: Digits.key(of: number.digits)))
        case .digits(let digits): Array(tables.finding.national.places(of: Digits.key(of: digits)))
        case .text: []
        }
    }

    /// The contact with an email address. If there are several, the names decide.
    func contact(withEmail text: String, _ names: NameQuery) -> Contact? {
        guard let address = EmailAddress(text) else { return nil }
        return names.best(of: places(of: address).map { contacts[$0] }) { $0.details.addresses.contains(address) }
    }

    /// The places of the contacts that may have an email address, in order. Until the tables are built, the traces of
    /// the addresses as written select them.
    private func places(of address: EmailAddress) -> [Int] {
        if !tables.isFindingReady, let trace = LinkKeys.trace(ofEmail: address.text) {
            return places(ofCards: { indexed in
                indexed.marks.traces?.contains(trace)
                    ?? indexed.card.emails.contains { EmailAddress($0.address) == address }
            })
        }
        return Array(tables.finding.emails.places(of: PlaceTable.key(of: address)))
    }

    /// The places of the contacts that have such a card, in order.
    ///
    /// The cards are read in the order of the sources, in which they were made, so most are next to each other in memory. In
    /// the order of the names, a large book takes about twice as long.
    private func places(ofCards isSought: (IndexedCard) -> Bool) -> [Int] {
        Set(plan.cards.indices.filter { isSought(plan.cards[$0]) }.map { placesOfCards[$0] }).sorted()
    }

    // MARK: While typing

    /// The contacts that match the typed beginning, ranked by what it matches:
    ///
    /// 1. the beginning of a number;
    /// 2. a whole name, then whole words of a name, then the beginnings of words;
    /// 3. the beginning of a number after its area code.
    ///
    /// Contacts of the same rank are in the order of the book.
    func suggestions(for query: FindQuery, limit: Int) -> [Contact] {
        var found = Ranking(count: contacts.count, limit: limit)
        found.take(places(of: query.number))
        if !found.isFull { take(namesOf: query, namesakes(of: query), into: &found) }
        if !found.isFull, let number = query.number, let local = number.local {
            var places = PlaceSet(count: contacts.count)
            tables.finding.text.insertPlaces(of: local.map { $0 + UInt8(ascii: "0") }, into: &places)
            found.take(places) { number.begins(localNumberOf: contacts[$0]) }
        }
        return found.places.map { contacts[$0] }
    }

    /// Ranks the contacts at `places` by their names: whole names, then whole words, then beginnings of words.
    private func take(namesOf query: FindQuery, _ places: PlaceSet, into found: inout Ranking) {
        var exact = PlaceSet(count: contacts.count)
        for key in query.longestWord?.wholeKeys ?? [] { exact.insert(tables.names.words.places(of: key)) }
        exact.formIntersection(places)
        let named = PlaceSet(count: contacts.count, exact.first(.max) { query.isPart(ofNameOf: contacts[$0]) })
        found.take(named) { query.isWholeName(of: contacts[$0]) }
        found.take(named)
        found.take(places) { query.begins(nameOf: contacts[$0]) }
    }

    private func places(of number: TypedNumber?) -> PlaceSet {
        var places = PlaceSet(count: contacts.count)
        guard let number else { return places }
        for digits in number.international {
            places.insert(tables.finding.international.places(in: Digits.keys(beginningWith: digits)))
        }
        for digits in number.national {
            places.insert(tables.finding.national.places(in: Digits.keys(beginningWith: digits)))
        }
        return places
    }

    /// The contacts with a word that begins like the longest word of the query. Includes some others, because keys have
    /// only eight bytes.
    private func namesakes(of query: FindQuery) -> PlaceSet {
        var places = PlaceSet(count: contacts.count)
        for keys in query.longestWord?.keys ?? [] {
            places.insert(tables.names.words.places(in: keys))
        }
        return places
    }

    /// The contacts that contain the query: first whole names and words, then beginnings of names, then the others.
    /// Contacts of the same rank are in the order of the book.
    func search(_ query: FindQuery, limit: Int) -> [Contact] {
        guard let first = query.words.first else { return [] }
        let tables = tables.finding
        var places = places(of: first, in: tables)
        for word in query.words.dropFirst() { places.formIntersection(self.places(of: word, in: tables)) }
        for digits in query.number?.parts ?? [] { tables.text.insertPlaces(of: digits, into: &places) }
        var found = Ranking(count: contacts.count, limit: limit)
        take(namesOf: query, places, into: &found)
        found.take(places)
        return found.places.map { contacts[$0] }
    }

    /// The contacts that contain a word anywhere, or whose name has a word that sounds like it.
    private func places(of word: QueryWord, in tables: FindingTables) -> PlaceSet {
        var places = PlaceSet(count: contacts.count)
        for letters in word.spellings + word.withoutDigraphs {
            tables.text.insertPlaces(of: letters, into: &places)
        }
        for sound in word.sounds { places.insert(tables.sounds.places(of: sound.letters)) }
        return places
    }
}
