import Foundation
import Kith
import KithCards

/// The result of a load: all contacts in order, with their search tables.
///
/// It is immutable, so readers see one state while another is loaded.
struct ContactBook: Sendable {
    /// The input of a book.
    struct Plan: Sendable {
        /// The cards, in the order of the sources.
        var cards: [FiledCard] = []
        var decisions = LinkDecisions()
        var order = NameOrder.familyFirst
        var locale = Locale.current
        var matches = ContactMatches.none

        /// Whether both plans differ at most in the known accounts.
        func arranges(as other: Plan) -> Bool {
            order == other.order && locale == other.locale && decisions == other.decisions
                && cards.elementsEqual(other.cards, by: ===)
        }
    }

    /// The contacts in the order of their names.
    private(set) var contacts: [Contact]
    private(set) var sections: [ContactSection]
    let tables: LaterTables
    private var plan: Plan
    private let alphabet: Alphabet

    /// The known accounts of their identities.
    var matches: ContactMatches { plan.matches }

    /// The book of a plan. It reuses the alphabet of `previous`, the book before it, if possible.
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
                changed.note(contacts[place], book.contacts[place])
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
        for contact in contacts { changed.note(previous.contact(whoseIDIs: contact.id), contact) }
        for contact in previous.contacts where self.contact(whoseIDIs: contact.id) == nil { changed.note(contact, nil) }
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
