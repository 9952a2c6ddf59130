import ArgumentParser
import KithAddressBook
import KithCards
import KithModel

/// The changes of a card that the options name. An empty text removes a value.
struct ContactChanges: ParsableArguments {
    @Option(help: "The whole name, as it is shown.") var name: String?
    @Option(help: "The given name.") var given: String?
    @Option(help: "The family name.") var family: String?
    @Option(help: "The company.") var company: String?
    @Option(name: .customLong("job"), help: "The job title.") var jobTitle: String?
    @Option(help: "The note, in place of all that were there.") var note: String?
    @Option(name: .customLong("add-phone"), help: "A telephone number to add. May be repeated.") var addedPhones:
        [String] = []
    @Option(name: .customLong("remove-phone"), help: "A telephone number to remove. May be repeated.")
    var removedPhones: [String] = []
    @Option(name: .customLong("add-email"), help: "An email address to add. May be repeated.") var addedEmails:
        [String] = []
    @Option(name: .customLong("remove-email"), help: "An email address to remove. May be repeated.")
    var removedEmails: [String] = []

    /// Whether no option was given.
    var isEmpty: Bool {
        [name, given, family, company, jobTitle, note].allSatisfy { $0 == nil }
            && [addedPhones, removedPhones, addedEmails, removedEmails].allSatisfy(\.isEmpty)
    }

    /// Makes the changes in a card.
    ///
    /// - Parameters:
    ///   - card: The card.
    ///   - number: Reads a telephone number as it was written.
    /// - Returns: The card with the changes.
    /// - Throws: ``Failure`` if a number or an address to remove is not in the card.
    func applied(to card: Card, reading number: (String) -> PhoneNumber) throws -> Card {
        var card = card
        rename(&card)
        if let company {
            if card.organizations.isEmpty, !company.isEmpty {
                card.organizations.append(Card.Organization(id: Self.newID("ORG", card.organizations), name: company))
            } else if company.isEmpty {
                card.organizations.removeAll()
            } else {
                card.organizations[0].name = company
            }
        }
        if let jobTitle {
            let first = card.titles.firstIndex { $0.kind == .title }
            switch (first, jobTitle.isEmpty) {
            case (let index?, false): card.titles[index].name = jobTitle
            case (let index?, true): card.titles.remove(at: index)
            case (nil, false):
                card.titles.append(Card.Title(id: Self.newID("TITLE", card.titles), kind: .title, name: jobTitle))
            case (nil, true): break
            }
        }
        if let note {
            var kept = card.notes.prefix(note.isEmpty ? 0 : 1)
            if kept.isEmpty, !note.isEmpty { kept = [Card.Note(id: "NOTE-1", note: note)] }
            for index in kept.indices { kept[index].note = note }
            card.notes = Array(kept)
        }
        try changePhones(&card, reading: number)
        try changeEmails(&card)
        return card
    }

    private func rename(_ card: inout Card) {
        for (kind, text) in [(Card.Name.Kind.given, given), (.surname, family)] {
            guard let text else { continue }
            let index = card.name.components.firstIndex { $0.kind == kind }
            if let index { card.name.components[index].value = text }
            if index == nil { card.name.components.append(Card.Name.Component(kind, text)) }
            card.name.components.removeAll { $0.kind == kind && $0.value.isEmpty }
        }
        if given != nil || family != nil {
            // The full name is derived from its parts.
            card.name.full = nil
            card.name.full = card.name.displayText
        }
        if let name { card.name.full = name.isEmpty ? nil : name }
    }

    private func changePhones(_ card: inout Card, reading number: (String) -> PhoneNumber) throws {
        for text in removedPhones {
            let sought = number(text)
            let count = card.phones.count
            card.phones.removeAll { phone in
                let present = number(phone.number)
                return phone.number == text
                    || present.e164.map { $0 == sought.e164 } ?? (present.national == sought.national)
            }
            if card.phones.count == count { throw Self.lacks(card, text) }
        }
        for text in addedPhones { card.phones.append(Card.Phone(id: Self.newID("TEL", card.phones), number: text)) }
    }

    private func changeEmails(_ card: inout Card) throws {
        for text in removedEmails {
            let count = card.emails.count
            card.emails.removeAll { email in
                email.address == text || EmailAddress(text).map { $0 == EmailAddress(email.address) } ?? false
            }
            if card.emails.count == count { throw Self.lacks(card, text) }
        }
        for text in addedEmails { card.emails.append(Card.Email(id: Self.newID("EMAIL", card.emails), address: text)) }
    }

    private static func lacks(_ card: Card, _ text: String) -> Failure {
        let candidates = card.phones.map(\.number) + card.emails.map(\.address)
        return Failure(.notFound, "notFound", "The card has no “\(text)”. It has:", candidates: candidates)
    }

    /// An unused id: the entry's position, as in cards that were read from vCards.
    private static func newID(_ property: String, _ entries: [some CardEntry]) -> String {
        let ids = Set(entries.map(\.id))
        return ((entries.count + 1)...).lazy.map { "\(property)-\($0)" }.first { !ids.contains($0) } ?? property
    }
}
