import ArgumentParser
import KithAddressBook
import KithCards
import KithModel

/// The changes of a card that the options name. An empty text removes a value.
///
/// Of several companies, job titles or notes, only the first is changed or removed: the one that is shown first. The
/// others stay.
struct ContactChanges: ParsableArguments {
    @Option(help: "The whole name, as it is shown.") var name: String?
    @Option(help: "The given name.") var given: String?
    @Option(help: "The family name.") var family: String?
    @Option(help: "The company; of several, the first.") var company: String?
    @Option(name: .customLong("job"), help: "The job title; of several, the first.") var jobTitle: String?
    @Option(help: "The note; of several, the first.") var note: String?
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
    /// - Throws: ``Failure`` if a number or an address to remove is not in the card, or if one part of a name is to change
    ///   in a card that has no parts.
    func applied(to card: Card, reading number: (String) -> PhoneNumber) throws -> Card {
        var card = card
        try rename(&card)
        if let company {
            Self.change(&card.organizations, at: card.organizations.indices.first, to: company, in: { $0.name = $1 }) {
                Card.Organization(id: Self.newID("ORG", $0), name: company)
            }
        }
        if let jobTitle {
            Self.change(
                &card.titles, at: card.titles.firstIndex { $0.kind == .title }, to: jobTitle, in: { $0.name = $1 }
            ) {
                Card.Title(id: Self.newID("TITLE", $0), kind: .title, name: jobTitle)
            }
        }
        if let note {
            Self.change(&card.notes, at: card.notes.indices.first, to: note, in: { $0.note = $1 }) {
                Card.Note(id: Self.newID("NOTE", $0), note: note)
            }
        }
        try changePhones(&card, reading: number)
        try changeEmails(&card)
        return card
    }

    /// Sets the text of the entry at `index`, or removes the entry if the text is empty. Without an entry, a text adds one.
    private static func change<Entry>(
        _ entries: inout [Entry], at index: Int?, to text: String, in set: (inout Entry, String) -> Void,
        adding new: ([Entry]) -> Entry
    ) {
        switch (index, text.isEmpty) {
        case (let index?, false): set(&entries[index], text)
        case (let index?, true): entries.remove(at: index)
        case (nil, false): entries.append(new(entries))
        case (nil, true): break
        }
    }

    /// What to say about the values of a card that stay beside those that the options change, or are removed with them;
    /// nil if there are none.
    func sentence(onOthersIn card: Card, reading number: (String) -> PhoneNumber) -> String? {
        let sentences = [
            sentence(onFurtherValuesIn: card), sentence(onWholeNameIn: card), sentence(onDepartmentsIn: card),
            sentence(onEqualPhonesIn: card, reading: number),
        ].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    private func sentence(onEqualPhonesIn card: Card, reading number: (String) -> PhoneNumber) -> String? {
        let removed = removedPhones.map { Self.places(of: $0, in: card, reading: number) }.filter { $0.count > 1 }
        if removed.isEmpty { return nil }
        let numbers = Set(removed.joined()).sorted().map { card.phones[$0].number.printable }
        return "The card had a number more than once, and all of them were removed: \(numbers.joined(separator: ", "))."
    }

    private func sentence(onDepartmentsIn card: Card) -> String? {
        guard company == "", let units = card.organizations.first?.units, !units.isEmpty else { return nil }
        let removed = units.count == 1 ? "department was" : "departments were"
        return "Its \(removed) removed with the company: \(units.joined(separator: ", ").printable)."
    }

    private func sentence(onWholeNameIn card: Card) -> String? {
        guard name == nil, let whole = card.name.whole, withParts(card.name).keepsWhole else { return nil }
        return "The whole name “\(whole.printable)” stays as it is; --name changes it."
    }

    private func sentence(onFurtherValuesIn card: Card) -> String? {
        let counts = [
            (company, card.organizations.count, "company", "companies"),
            (jobTitle, card.titles.count { $0.kind == .title }, "job title", "job titles"),
            (note, card.notes.count, "note", "notes"),
        ]
        let others = counts.compactMap { option, count, one, several in
            option == nil || count < 2 ? nil : (count: count - 1, noun: count == 2 ? one : several)
        }
        if others.isEmpty { return nil }
        var list = others.map { "\($0.count) other \($0.noun)" }
        let last = list.removeLast()
        let all = list.isEmpty ? last : "\(list.joined(separator: ", ")) and \(last)"
        let isOne = others.map(\.count) == [1]
        return "The card has \(all), which \(isOne ? "stays as it is" : "stay as they are")."
    }

    private func rename(_ card: inout Card) throws {
        if given != nil || family != nil {
            if name == nil, given == nil || family == nil, card.name.composed == nil, let whole = card.name.whole {
                throw Failure.usage(
                    "The card has only a whole name, “\(whole.printable)”. Change it with --name, or say both --given "
                        + "and --family.")
            }
            card.name = withParts(card.name).name
        }
        if let name { card.name.full = name.isEmpty ? nil : name }
    }

    /// The name with its new parts, and whether its whole name stays although they have changed.
    ///
    /// A whole name that is composed of the parts is composed again. In another one, such as “Countess Ada”, the old
    /// parts are replaced. It stays if one of them is not in it, or more than once.
    private func withParts(_ old: Card.Name) -> (name: Card.Name, keepsWhole: Bool) {
        var new = old
        var words: [(old: String, new: String)] = []
        for (kind, text) in [(Card.Name.Kind.given, given), (.surname, family)] {
            guard let text else { continue }
            let index = new.components.firstIndex { $0.kind == kind }
            let word = index.map { new.components[$0].value } ?? ""
            if word != text { words.append((word, text)) }
            if let index { new.components[index].value = text }
            if index == nil { new.components.append(Card.Name.Component(kind, text)) }
            new.components.removeAll { $0.kind == kind && $0.value.isEmpty }
        }
        guard let whole = old.whole, old.composed != whole else {
            new.full = new.composed
            return (new, false)
        }
        let replaced = old.composed == nil ? new.composed ?? whole : whole.replacing(words)
        new.full = replaced ?? whole
        return (new, replaced == nil)
    }

    private func changePhones(_ card: inout Card, reading number: (String) -> PhoneNumber) throws {
        for text in removedPhones {
            let removed = Self.places(of: text, in: card, reading: number)
            if removed.isEmpty { throw Self.lacks(card, text) }
            for place in removed.reversed() { card.phones.remove(at: place) }
        }
        for text in addedPhones { card.phones.append(Card.Phone(id: Self.newID("PHONE", card.phones), number: text)) }
    }

    /// The places of a number in the card: where it is written in the same way, else where it is the same number with the
    /// same extension. A switchboard without an extension is another number than one of its extensions.
    private static func places(of text: String, in card: Card, reading number: (String) -> PhoneNumber) -> [Int] {
        let written = card.phones.indices.filter { card.phones[$0].number == text }
        if !written.isEmpty { return written }
        let sought = number(text)
        return card.phones.indices.filter { index in
            let present = number(card.phones[index].number)
            guard let e164 = present.e164 else { return present.national == sought.national }
            return e164 == sought.e164 && present.extension == sought.extension
        }
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
        return Failure.notFound("The card has no “\(text)”. It has:", candidates: candidates)
    }

    /// An unused id: the entry's position, as in cards that were read from vCards.
    private static func newID(_ property: String, _ entries: [some CardEntry]) -> String {
        let ids = Set(entries.map(\.id))
        return ((entries.count + 1)...).lazy.map { "\(property)-\($0)" }.first { !ids.contains($0) } ?? property
    }
}

extension Card.Name {
    /// The whole name as the card gives it; nil if there is none, or a blank one.
    fileprivate var whole: String? { full.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil } }

    /// The whole name that its parts give; nil if there are none.
    fileprivate var composed: String? {
        var parts = self
        parts.full = nil
        return parts.displayText
    }
}

extension String {
    /// The text with other words in place of some; nil unless each of these is in it exactly once.
    fileprivate func replacing(_ words: [(old: String, new: String)]) -> String? {
        var places: [(range: Range<Index>, new: String)] = []
        for (old, new) in words {
            let found = old.isEmpty ? [] : ranges(of: old).filter { isWord($0) }
            guard found.count == 1 else { return nil }
            places.append((found[0], new))
        }
        places.sort { $0.range.lowerBound < $1.range.lowerBound }
        var text = ""
        var end = startIndex
        for (range, new) in places {
            guard range.lowerBound >= end else { return nil }
            text += self[end..<range.lowerBound]
            text += new
            end = range.upperBound
        }
        text += self[end...]
        // A word that is removed leaves two blanks.
        return words.contains { $0.new.isEmpty } ? text.split(separator: " ").joined(separator: " ") : text
    }

    /// Whether neither a letter nor a digit is beside the range.
    private func isWord(_ range: Range<Index>) -> Bool {
        let beside = [self[..<range.lowerBound].last, self[range.upperBound...].first]
        return beside.allSatisfy { $0.map { !$0.isLetter && !$0.isNumber } ?? true }
    }
}
