import Foundation
import Kith
import KithCards

/// All contacts at one moment, in order, and where to find them: what a load makes of the cards.
///
/// It is a value: whoever reads it sees one state, whatever is being loaded meanwhile.
struct ContactBook: Sendable {
    typealias Contact = AddressBook.Contact

    /// What is to be in a book, and how.
    struct Plan: Sendable {
        /// The cards, in the order of the sources.
        var cards: [FiledCard] = []
        var decisions = LinkDecisions()
        var order = AddressBook.NameOrder.familyFirst
        var locale = Locale.current
        var matches = ContactMatches.none

        /// Whether it makes the same of the same cards, whoever of them is on the service.
        func arranges(as other: Plan) -> Bool {
            order == other.order && locale == other.locale && decisions == other.decisions
                && cards.elementsEqual(other.cards, by: ===)
        }
    }

    /// In the order of their names.
    private(set) var contacts: [Contact]
    private(set) var sections: [AddressBook.Section]
    let tables: LaterTables
    private var plan: Plan
    private let alphabet: Alphabet

    /// Who of them is on the service.
    var matches: ContactMatches { plan.matches }

    /// The book of a plan. The alphabet of `previous`, the book before it, is taken over if it suits.
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
                id: drafts[place].id, filed: drafts[place].cards, order: plan.order, sectionTitle: keys[place].title,
                matches: plan.matches)
        }
        self.contacts = contacts
        self.plan = plan
        tables = LaterTables(of: contacts)
        self.alphabet = alphabet
        sections = Self.sections(of: contacts)
    }

    /// The book of a plan, and what is different in it: made of this one where nothing else is than who is on the service.
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
                changed.note(contacts[place], book.contacts[place])
            }
        }
        book.sections = Self.sections(of: book.contacts)
        return (book, changed)
    }

    static func sections(of contacts: [Contact]) -> [AddressBook.Section] {
        var sections: [AddressBook.Section] = []
        var start = 0
        while start < contacts.count {
            let title = contacts[start].sectionTitle
            let end = contacts[start...].firstIndex { $0.sectionTitle != title } ?? contacts.count
            sections.append(AddressBook.Section(title: title, contacts: Array(contacts[start..<end])))
            start = end
        }
        return sections
    }

    /// What is different since `previous`.
    func difference(from previous: ContactBook) -> Changed<Contact> {
        var changed = Changed<Contact>(origin: .device)
        for contact in contacts { changed.note(previous.contact(whoseIDIs: contact.id), contact) }
        for contact in previous.contacts where self.contact(whoseIDIs: contact.id) == nil { changed.note(contact, nil) }
        return changed
    }
}

/// A contact that has no place in the order yet.
struct Draft: Sendable {
    let id: AddressBook.Contact.ID
    let cards: [FiledCard]
    let fields: [String]

    /// The contact of cards that are linked, given in the order of the sources.
    init(_ linked: [FiledCard], _ order: AddressBook.NameOrder) {
        // A contact goes by the oldest card; in a file that was sorted in another way it is the same one.
        let source = linked[0].source
        let oldest = linked.prefix { $0.source == source }.min { $0.reference.name < $1.reference.name }
        id = (oldest ?? linked[0]).id
        cards =
            linked.count == 1
            ? linked
            : linked.filter { $0.card.name.displayText != nil } + linked.filter { $0.card.name.displayText == nil }
        fields = AddressBook.Contact(id: id, filed: cards, order: order, sectionTitle: "").sortFields
    }
}

extension Alphabet {
    /// An alphabet for these contacts: `previous`, if it will do.
    init(of drafts: [Draft], in locale: Locale, _ previous: Alphabet?) async {
        let characters = await inParallel(drafts.count) { range in
            drafts[range].reduce(into: Set()) { characters, draft in
                for field in draft.fields { Self.add(charactersOf: field, to: &characters) }
            }
        }.reduce(into: Set()) { $0.formUnion($1) }
        if let previous, previous.knows(characters) { self = previous } else { self.init(of: characters, in: locale) }
    }
}
