import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel

/// All data of a contact, as `kith contacts show` prints it: a line for each value, with its sources if not all sources
/// have it.
struct ContactPage: Sendable {
    /// One value of a card.
    struct Line: Hashable, Sendable {
        /// The name of the field: “Email”.
        let field: String
        let value: String
        /// Details, such as the kind of a number or its use; empty if the card has none.
        let note: String
    }

    let contact: Contact
    /// The lines, each with the indices of the contact's cards that contain it.
    private(set) var lines: [(line: Line, cards: [Int])] = []

    init(_ contact: Contact, numbers: (Card.Phone) -> PhoneNumber) {
        self.contact = contact
        for (index, sourced) in contact.cards.enumerated() {
            for line in sourced.card.lines(numbers: numbers) { add(line, index) }
            for line in sourced.alternatives.compactMap(\.line) { add(line, index) }
        }
        // Lines of one field are grouped. The groups are in the order of their first lines.
        var order: [String: Int] = [:]
        for entry in lines where order[entry.line.field] == nil { order[entry.line.field] = order.count }
        lines = lines.enumerated().sorted {
            (order[$0.element.line.field] ?? 0, $0.offset) < (order[$1.element.line.field] ?? 0, $1.offset)
        }.map(\.element)
    }

    /// Two cards have the same line if field and value are equal, and the notes are equal or one is empty.
    private mutating func add(_ line: Line, _ card: Int) {
        let known = lines.firstIndex { known, _ in
            (known.field, known.value) == (line.field, line.value)
                && (known.note == line.note || known.note.isEmpty || line.note.isEmpty)
        }
        guard let known else { return lines.append((line, [card])) }
        if lines[known].line.note.isEmpty { lines[known].line = line }
        if !lines[known].cards.contains(card) { lines[known].cards.append(card) }
    }
}

extension Card.Alternative {
    /// Its line among those of the same kind; nil for the parts of a name, which the whole name says too.
    fileprivate var line: ContactPage.Line? {
        switch kind {
        case .fullName: ContactPage.Line(field: "Name", value: text, note: "")
        case .organization: ContactPage.Line(field: "Organization", value: text, note: "")
        case .title: ContactPage.Line(field: "Title", value: text, note: "")
        case .nameParts: nil
        }
    }
}

extension Card {
    /// The card's values except for its name, line by line.
    fileprivate func lines(numbers: (Card.Phone) -> PhoneNumber) -> [ContactPage.Line] {
        typealias Line = ContactPage.Line
        var lines: [Line] = []
        func add(_ field: String, _ value: String?, _ note: String? = nil) {
            if let value, !value.isEmpty { lines.append(Line(field: field, value: value, note: note ?? "")) }
        }
        if let full = name.full { add("Name", full, name.phonetic) } else { add("Spoken", name.phonetic) }
        for nickname in nicknames { add("Nickname", nickname.name) }
        for organization in organizations {
            add("Organization", ([organization.name].compactMap(\.self) + organization.units).joined(separator: ", "))
        }
        for title in titles { add("Title", title.name) }
        for phone in phones {
            let number = numbers(phone)
            add("Phone", number.international, number.note(beside: phone))
        }
        for email in emails { add("Email", email.address, email.note(email.label, email.contexts)) }
        for address in addresses { add("Address", address.line, address.note(address.label, address.contexts)) }
        for service in onlineServices {
            add("Online", service.user ?? service.uri, service.note(service.label, service.contexts, service.service))
        }
        for link in links {
            if case .uri(let uri) = link.content { add("Link", uri, link.note(link.label, [])) }
        }
        for anniversary in anniversaries {
            add(anniversary.title, anniversary.day.words, anniversary.place?.full ?? anniversary.place?.coordinates)
        }
        for relation in relatedTo {
            add("Related", relation.other, relation.relations.sorted().joined(separator: ", "))
        }
        if !preferredLanguages.isEmpty { add("Languages", preferredLanguages.map(\.language).joined(separator: ", ")) }
        for info in personalInfo { add(info.kind.rawValue.capitalized, info.value, info.level?.rawValue) }
        if !keywords.isEmpty { add("Categories", keywords.joined(separator: ", ")) }
        if !members.isEmpty { add("Members", members.count.things("card")) }
        for note in notes {
            let origin = [note.author?.name ?? note.author?.uri, note.created.map { String($0.prefix(10)) }]
            for line in note.note.split(whereSeparator: \.isNewline) {
                add("Note", String(line), origin.compactMap(\.self).joined(separator: ", "))
            }
        }
        return lines
    }
}

extension CardEntry {
    /// The entry's label, as its author wrote it, or else its context. nil if it has neither.
    fileprivate func note(_ label: String?, _ contexts: Set<Card.Context>, _ service: String? = nil) -> String? {
        let words = words(label, contexts, service)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// The label and the service, the author's other words, and the context if there is no label. Repeated words are
    /// left out.
    fileprivate func words(
        _ label: String?, _ contexts: Set<Card.Context>, _ service: String? = nil
    ) -> [String] {
        let all = [service, label].compactMap(\.self) + typesForPeople + (label == nil ? [contexts.words ?? ""] : [])
        return all.reduce(into: []) { words, word in
            if !word.isEmpty, !words.contains(where: { $0.lowercased() == word.lowercased() }) { words.append(word) }
        }
    }
}

extension Card.Name {
    /// The pronunciation of the whole name, if any part of it has one.
    fileprivate var phonetic: String? {
        let spoken = components.compactMap(\.phonetic)
        return spoken.isEmpty ? nil : spoken.joined(separator: " ")
    }
}

extension PhoneNumber {
    /// The details of the number: its national form, its kind, and its use.
    fileprivate func note(beside phone: Card.Phone) -> String {
        var notes: [String] = []
        if national != international { notes.append(national) }
        if kind != .unknown { notes.append(kind.words) }
        let features = phone.features.subtracting([.mobile, .voice]).map(\.rawValue).sorted()
        notes += features.filter { $0 != kind.rawValue }
        notes += phone.words(phone.label, phone.contexts)
        if !isValid && kind != .short { notes.append("not known to be valid") }
        if ![national, international].contains(original) { notes.append("written \(original)") }
        return notes.joined(separator: ", ")
    }
}

extension PhoneNumber.Kind {
    /// The kind in plain words: “fixed line”.
    var words: String {
        switch self {
        case .fixedLine: "fixed line"
        case .fixedLineOrMobile: "fixed line or mobile"
        case .tollFree: "toll free"
        case .premiumRate: "premium rate"
        case .sharedCost: "shared cost"
        case .short: "short code"
        default: rawValue
        }
    }
}

extension Set<Card.Context> {
    /// The context in plain words: “home”, “work”; nil if there is none.
    fileprivate var words: String? {
        isEmpty ? nil : map { $0 == .private ? "home" : $0.rawValue }.sorted().joined(separator: ", ")
    }
}

extension Card.Address {
    /// The address on one line.
    fileprivate var line: String {
        let whole = full ?? components.filter { $0.kind != .separator }.map(\.value).joined(separator: ", ")
        // RFC 6350 itself writes a line break in LABEL as `\n`, which RFC 6868 has since made `^n`.
        let lines = whole.replacing("\\n", with: "\n").split(whereSeparator: \.isNewline)
        return lines.joined(separator: ", ")
    }
}

extension Card.Anniversary {
    fileprivate var title: String {
        switch kind {
        case .birth: "Birthday"
        case .death: "Died"
        case .wedding: "Wedding"
        case .other: label ?? "Anniversary"
        }
    }
}

extension Card.Anniversary.Day {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// “17 May 1984”, “29 March”, “3 February 1980, 23:30:00-05:00”.
    var words: String {
        switch self {
        case .text(let text): return text
        case .moment(let text):
            let day = civilDay
            if case .moment = day { return text }
            return ([day.words] + text.split(separator: "T").dropFirst().map(String.init)).joined(separator: ", ")
        case .date(let year, let month, let day):
            let name = month.flatMap { Self.months.indices.contains($0 - 1) ? Self.months[$0 - 1] : nil }
            return [day.map(String.init), name, year.map(String.init)].compactMap(\.self).joined(separator: " ")
        }
    }
}
