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
    typealias Rule = @Sendable (inout CardReading, CardProperty) -> Void

    let vCard: VCard
    var card = Card()
    private(set) var places: [Place] = []
    /// The parts that were read from the properties of each group.
    private(set) var groups: [String: [CardPart]] = [:]
    /// The first address of each group.
    private(set) var groupAddresses: [String: Int] = [:]
    /// What belongs to other properties, to be settled at the end.
    var companions: [CardProperty] = []

    /// The first day of each kind.
    var firstDays: [Card.Anniversary.Kind: Int] = [:]
    /// The addresses of which no whole is told yet, the last ones first; nil until one is asked for.
    var unlabelled: [Set<Card.Context>: [Int]]?
    /// The groups of what is told of addresses.
    lazy var addressGroups = Set(
        vCard.properties.lazy.filter { [.label, .geo, .tz].contains($0.knownName) }.compactMap {
            $0.group?.lowercased()
        })
    private lazy var alternatives = Alternatives(of: vCard)
    /// The ids of each family of which a PROP-ID has given one.
    private var ids: [CardPart.Family: EntryIDs] = [:]
    /// Where what a card has once is in its family.
    private var known: [CardPart.Family: [String: Int]] = [:]
    /// Of which singular parts a property has been read.
    private var singles: Set<CardPart> = []

    init(of vCard: VCard) {
        self.vCard = vCard
        places.reserveCapacity(vCard.properties.count)
        for (index, property) in vCard.properties.enumerated() {
            guard let name = property.knownName, let rule = Self.rules[name] else { continue }
            let statement = CardProperty(property, name, at: index)
            if !statement.words.hasOtherParameters || alternatives.isMain(statement) {
                rule(&self, statement)
            } else if name == .n, statement.isSound {
                companions.append(statement)
            }
        }
        settle()
    }

    /// Two rules for one name would be a mistake of ours, which stops at the first card.
    private static let rules: [VCard.PropertyName: Rule] = Dictionary(
        uniqueKeysWithValues: [cardRules, nameRules, reachingRules, messengerRules, resourceRules, furtherRules]
            .joined().map { ($0.key, $0.value) })

    /// The rules of what a card says of itself.
    private static let cardRules: [VCard.PropertyName: Rule] = [
        .uid: { $0.set(\.uid, .uid, to: $1.text, $1) },
        .language: { $0.set(\.language, .language, to: $1.text, $1) },
        .prodID: { $0.set(\.productID, .productID, to: $1.text, $1) },
        .created: { $0.set(\.created, .created, to: DateAndTime($1.text)?.moment, $1) },
        .rev: { $0.set(\.updated, .updated, to: DateAndTime($1.text)?.moment, $1) },
        .kind: { $0.readKind($1.text, $1) },
        .xAddressBookServerKind: { $0.readKind($1.text, $1) },
        .xABShowAs: { if $1.text.lowercased() == "company" { $0.readKind("org", $1) } },
    ]

    private mutating func readKind(_ word: String, _ statement: CardProperty) {
        guard let kind = Card.Kind(rawValue: word.lowercased()), isFirst(.kind) else { return }
        card.kind = kind
        note(.kind, statement)
    }
}

// MARK: - For the rules

extension CardReading {
    /// Sets a part of the card, unless an earlier property has, or there is nothing to set.
    mutating func set(
        _ path: WritableKeyPath<Card, String?>, _ part: CardPart, to value: String?, _ statement: CardProperty
    ) {
        guard let value, !value.isEmpty, card[keyPath: path] == nil else { return }
        card[keyPath: path] = value
        note(part, statement)
    }

    /// Whether no property has said a part that a card has once. From now on one has.
    mutating func isFirst(_ part: CardPart) -> Bool { singles.insert(part).inserted }

    /// Remembers that the statement says this of `part`.
    mutating func note(_ part: CardPart, _ statement: CardProperty, _ aspect: Aspect = .itself) {
        places.append(Place(part: part, aspect: aspect, property: statement.index))
        if aspect == .itself { join(part, statement) }
    }

    /// Puts a part into the statement's group.
    mutating func join(_ part: CardPart, _ statement: CardProperty) {
        guard let group = statement.group else { return }
        groups[group, default: []].append(part)
        if let place = part.place(in: .address), groupAddresses[group] == nil { groupAddresses[group] = place }
    }

    /// Adds an entry under the statement's id, else under one of its place.
    mutating func add<Entry: CardEntry>(
        _ entry: Entry, to path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family, _ statement: CardProperty,
        id given: String?
    ) {
        var entry = entry
        let place = card[keyPath: path].count
        entry.vCardParameters = statement.carried(by: .entry(family, place))
        if given != nil, ids[family] == nil { ids[family] = EntryIDs(card[keyPath: path].map(\.id)) }
        entry.id = ids[family]?.next(given, family, at: place) ?? family.id(at: place)
        card[keyPath: path].append(entry)
        note(.entry(family, place), statement)
    }

    /// Adds an entry, with the contexts and the preference that the statement's parameters say.
    mutating func add<Entry: PlacedEntry>(
        _ entry: Entry, to path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family, _ statement: CardProperty
    ) {
        var entry = entry
        (entry.contexts, entry.pref) = (statement.words.contexts, statement.words.pref)
        add(entry, to: path, family, statement, id: statement.id)
    }

    /// Adds what a card has once, however often the vCard says it.
    mutating func addOnce(
        _ value: String, to path: WritableKeyPath<Card, [String]>, _ family: CardPart.Family, _ statement: CardProperty
    ) {
        guard !value.isEmpty else { return }
        let count = card[keyPath: path].count
        let place = known[family]?[value] ?? count
        if place == count {
            known[family, default: [:]][value] = place
            card[keyPath: path].append(value)
        }
        note(.entry(family, place), statement)
    }
}

/// The ids of a family's entries, each once.
private struct EntryIDs {
    private var used: Set<String>
    private var number = 0

    init(_ used: [String]) { self.used = Set(used) }

    /// The given id, if there is one and no other entry has it; else the next that no other has.
    mutating func next(_ given: String?, _ family: CardPart.Family, at place: Int) -> String {
        if let given, used.insert(given).inserted { return given }
        number = max(number, place)
        while !used.insert(family.id(at: number)).inserted { number += 1 }
        return family.id(at: number)
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
