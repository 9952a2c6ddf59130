/// Reads a vCard into a card (RFC 9555, section 2), and remembers which property said what.
///
/// First each property is read by the rule of its name, in one pass. Then what
/// belongs to another property is put in its place: labels, an address' whole
/// text, the sound of a name.
struct CardReading {
    /// Where a part of the card was read.
    struct Place {
        let part: CardPart
        let aspect: Aspect
        /// The property's index in the vCard.
        let property: Int
    }

    /// How a property is read.
    typealias Rule = @Sendable (inout CardReading, Statement) -> Void

    let vCard: VCard
    var card = Card()
    private(set) var places: [Place] = []
    /// The group of each part that was read from a grouped property.
    var groups: [(group: String, part: CardPart)] = []
    /// What belongs to other properties, to be settled at the end.
    var companions: [Statement] = []

    init(of vCard: VCard) {
        self.vCard = vCard
        places.reserveCapacity(vCard.properties.count)
        for (index, property) in vCard.properties.enumerated() {
            guard let name = property.known, let rule = Self.rules[name] else { continue }
            let statement = Statement(property, name, at: index)
            if statement.isMain(in: vCard) { rule(&self, statement) }
        }
        settle()
    }

    private static let rules: [VCard.Name: Rule] = [
        cardRules, nameRules, reachingRules, messengerRules, resourceRules, furtherRules,
    ]
    .reduce(into: [:]) { all, rules in all.merge(rules) { rule, _ in rule } }

    /// The rules of what a card says of itself.
    private static let cardRules: [VCard.Name: Rule] = [
        .uid: { $0.set(\.uid, .uid, to: $1.text, $1) },
        .language: { $0.set(\.language, .language, to: $1.text, $1) },
        .prodID: { $0.set(\.productID, .productID, to: $1.text, $1) },
        .created: { $0.set(\.created, .created, to: DateAndTime($1.text)?.moment, $1) },
        .rev: { $0.set(\.updated, .updated, to: DateAndTime($1.text)?.moment, $1) },
        .kind: { $0.readKind($1.text, $1) },
        .xAddressBookServerKind: { $0.readKind($1.text, $1) },
        .xABShowAs: { if $1.text.lowercased() == "company" { $0.readKind("org", $1) } },
    ]

    private mutating func readKind(_ word: String, _ statement: Statement) {
        guard let kind = Card.Kind(rawValue: word.lowercased()), !places.contains(where: { $0.part == .kind }) else {
            return
        }
        card.kind = kind
        note(.kind, statement)
    }
}

// MARK: - For the rules

extension CardReading {
    /// Sets a part of the card, unless an earlier property has, or there is nothing to set.
    mutating func set(
        _ path: WritableKeyPath<Card, String?>, _ part: CardPart, to value: String?, _ statement: Statement
    ) {
        guard let value, !value.isEmpty, card[keyPath: path] == nil else { return }
        card[keyPath: path] = value
        note(part, statement)
    }

    /// Remembers that the statement says this of `part`.
    mutating func note(_ part: CardPart, _ statement: Statement, _ aspect: Aspect = .itself) {
        places.append(Place(part: part, aspect: aspect, property: statement.index))
        if aspect == .itself, let group = statement.property.group { groups.append((group, part)) }
    }

    /// Adds an entry under the statement's id, else under one of its place.
    mutating func add<Entry: CardEntry>(
        _ entry: Entry, to path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family, _ statement: Statement,
        id: String?
    ) {
        var entry = entry
        let count = card[keyPath: path].count
        entry.id = id ?? family.id(at: count)
        var number = count
        while card[keyPath: path].contains(where: { $0.id == entry.id }) {
            entry.id = family.id(at: number)
            number += 1
        }
        card[keyPath: path].append(entry)
        note(.entry(family, count), statement)
    }

    /// Adds an entry, with the contexts and the preference that the statement's parameters say.
    mutating func add<Entry: PlacedEntry>(
        _ entry: Entry, to path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family, _ statement: Statement
    ) {
        var entry = entry
        (entry.contexts, entry.pref) = (statement.contexts, statement.pref)
        add(entry, to: path, family, statement, id: statement.id)
    }

    /// Adds what a card has once, however often the vCard says it.
    mutating func addOnce(
        _ value: String, to path: WritableKeyPath<Card, [String]>, _ family: CardPart.Family, _ statement: Statement
    ) {
        guard !value.isEmpty else { return }
        if let place = card[keyPath: path].firstIndex(of: value) { return note(.entry(family, place), statement) }
        card[keyPath: path].append(value)
        note(.entry(family, card[keyPath: path].count - 1), statement)
    }
}

extension Statement {
    /// Whether this is read, or is but an alternative to a statement that is.
    ///
    /// Of several properties with one name and one ALTID, which say the same in
    /// several languages, the one in the card's language is read. The others
    /// stay in the vCard; RFC 9555 makes localizations of them.
    fileprivate func isMain(in vCard: VCard) -> Bool {
        guard !parameters.isEmpty else { return true }
        if self["PHONETIC"] != nil { return false }
        guard let alternative = self["ALTID"] else { return true }
        let language = vCard.properties.first { $0.known == .language }?.text
        var best: (rank: Int, index: Int)?
        for (index, other) in vCard.properties.enumerated() where other.known == name {
            let other = Statement(other, name, at: index)
            guard other["ALTID"] == alternative, other["PHONETIC"] == nil else { continue }
            let rank = other["LANGUAGE"].map { $0 == language ? 1 : 2 } ?? 0
            if rank < best?.rank ?? 3 { best = (rank, index) }
        }
        return best?.index == index
    }
}

extension String {
    /// The text without spaces and line ends around it.
    var trimmed: String {
        guard let first = utf8.first, let last = utf8.last, first <= 0x20 || last <= 0x20 else { return self }
        let start = utf8.firstIndex { $0 > 0x20 } ?? utf8.endIndex
        let end = utf8.lastIndex { $0 > 0x20 }.map { utf8.index(after: $0) } ?? start
        return String(self[start..<end])
    }
}
