import KithCards

/// Cards of people who do not exist, thrown by a seed: the same seed, the same card.
///
/// They have what a version of vCard can say of a card, and nothing that the
/// documentation of `VCard.apply` excepts.
struct PersonDice: RandomNumberGenerator {
    private var numbers: SplitMix64
    let version: VCard.Version

    init(seed: UInt64, _ version: VCard.Version) {
        numbers = SplitMix64(seed: seed)
        self.version = version
    }

    mutating func next() -> UInt64 { numbers.next() }

    /// What parts a value in some version, or is escaped in one.
    static let texts = [
        "Ada", "Lovelace", "van Gogh", "O’Neill", "a,b", "x;y", "back\\slash", "Zoë", "日本 太郎", "with: colon",
        "\"quoted\"", "^caret^n", "=3D", "👩‍👩‍👧", "PREF", "HOME", "1", "a\\nb", "\\,", "item1", "http://not.a/uri",
    ]
    /// What a parameter can hold in every version.
    static let words = ["Ada", "van Gogh", "Zoë", "Mastodon", "x-y", "日本", "1"]

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
    mutating func text() -> String { pick(Self.texts) }
    mutating func lines() -> String { chance(3) ? text() + "\n\n" + text() : text() }
    mutating func word() -> String { pick(Self.words) }
    mutating func perhaps(_ text: (inout Self) -> String) -> String? { chance(2) ? text(&self) : nil }
    mutating func uri() -> String { "https://example.com/\(Int.random(in: 1...99, using: &self))?a=b,c;d" }

    /// Up to three entries, each with an id of its own.
    mutating func some<Entry: CardEntry>(_ entry: (inout Self) -> Entry) -> [Entry] {
        var entries = (0..<pick([0, 0, 1, 1, 2, 3])).map { _ in entry(&self) }
        for index in entries.indices {
            entries[index].id = "k\(Int.random(in: 0...999, using: &self))x\(index)"
            if chance(3) { entries[index].vCardParameters = parameters(types: types(of: Entry.self)) }
        }
        return entries
    }

    /// Words of TYPE that the model does not know where they are. What someone is to another, it knows by any word.
    private func types<Entry: CardEntry>(of: Entry.Type) -> [String] {
        Entry.self == Card.Relation.self ? ["pref"] : ["X-Segelboot", "WhatsApp", "isdn", "INTERNET"]
    }

    /// Parameters that the model does not know, in the order of their names.
    mutating func parameters(types: [String]) -> VCard.Parameters {
        var parameters = VCard.Parameters()
        let values = Self.words + ["a,b", "x:y;z", "=3D"] + (version == .v2_1 ? [] : ["\"q\"", "a\nb", "^n"])
        if chance(3) { parameters["LANGUAGE"] = [pick(["de", "fr"])] }
        if !types.isEmpty, chance(2) { parameters["TYPE"] = [pick(types)] }
        if chance(2) { parameters["X-FOO"] = (0..<pick([1, 1, 2])).map { _ in pick(values) } }
        return parameters
    }

    mutating func contexts() -> Set<Card.Context> { pick([[], [], [.work], [.private], [.private, .work]]) }

    /// Before version 4.0 only the first preference can be said.
    mutating func pref() -> Int? {
        guard chance(2) else { return nil }
        return version == .v4_0 ? Int.random(in: 1...100, using: &self) : 1
    }

    mutating func card() -> Card {
        var card = Card()
        card.uid = perhaps { $0.chance(2) ? "urn:uuid:03a0e51f-d1aa-4385-8a53-e29025acd8af" : $0.text() }
        card.kind = pick(Card.Kind.allCases)
        card.language = perhaps { _ in "de-AT" }
        card.productID = perhaps { $0.text() }
        card.created = perhaps { _ in "2022-09-30T14:35:10Z" }
        card.updated = perhaps { _ in "2021-10-31T22:27:10.5Z" }
        card.keywords = distinct()
        card.members = distinct().map { $0.contains(where: \.isWhitespace) ? "urn:x" : $0 }.distinct
        card.name = name()
        addNames(to: &card)
        addReach(to: &card)
        addResources(to: &card)
        addFurther(to: &card)
        return card
    }

    mutating func distinct() -> [String] { (0..<pick([0, 1, 3])).map { _ in text() }.distinct }
}

extension PersonDice {
    mutating func name() -> Card.Name {
        var name = Card.Name()
        name.full = perhaps { $0.text() }
        var kinds: [Card.Name.Kind] = [.surname, .given, .given2, .title, .credential]
        if version == .v4_0, chance(2) { kinds += [.surname2, .generation] }
        for kind in kinds {
            // Version 2.1 has one value for each kind.
            for _ in 0..<pick(version == .v2_1 ? [0, 1] : [0, 1, 1, 2]) {
                name.components.append(Card.Name.Component(kind, text()))
            }
        }
        for kind in [Card.Name.Kind.given, .given2, .surname] where chance(3) {
            guard let index = name.components.firstIndex(where: { $0.kind == kind }) else { continue }
            name.components[index].phonetic = text()
        }
        if version == .v4_0, name.components.contains(where: { $0.phonetic != nil }), chance(2) {
            name.phoneticSystem = pick([nil, "ipa"])
            name.phoneticScript = name.phoneticSystem == nil ? "Latn" : perhaps { _ in "Latn" }
        }
        if version == .v4_0, !name.components.isEmpty, chance(2) { order(&name) }
        if chance(2) { name.sortAs[.surname] = word() }
        if chance(3) { name.sortAs[.given] = word() }
        if chance(4) { name.vCardParameters = parameters(types: []) }
        return name
    }

    private mutating func order(_ name: inout Card.Name) {
        var parts: [Card.Name.Component] = []
        let kinds = Card.Name.Kind.allCases.shuffled(using: &self)
        for kind in kinds {
            for part in name.components where part.kind == kind {
                if chance(3) { parts.append(Card.Name.Component(.separator, pick([", ", ";", "\\", " - "]))) }
                parts.append(part)
            }
        }
        name.components = parts
        name.isOrdered = true
        name.defaultSeparator = perhaps { $0.pick([", ", "", ";"]) }
    }

    private mutating func addNames(to card: inout Card) {
        card.nicknames = some { dice in
            var nickname = Card.Nickname(id: "", name: dice.text())
            (nickname.contexts, nickname.pref) = (dice.contexts(), dice.pref())
            return nickname
        }
        card.organizations = some { dice in
            let units = (0..<dice.pick([0, 1, 2])).map { _ in dice.text() }
            let name = units.isEmpty ? dice.text() : dice.perhaps { $0.text() }
            var organization = Card.Organization(id: "", name: name, units: units)
            (organization.contexts, organization.sortAs) = (dice.contexts(), dice.perhaps { $0.word() })
            return organization
        }
        let organizations = card.organizations.map(\.id)
        card.titles = some { dice in
            var title = Card.Title(id: "", kind: dice.pick([.title, .role]), name: dice.text())
            if !organizations.isEmpty, dice.chance(2) { title.organization = dice.pick(organizations) }
            return title
        }
        card.speakToAs.grammaticalGender = chance(2) ? pick(Card.SpeakToAs.Gender.allCases) : nil
        card.speakToAs.pronouns = some { dice in
            var pronouns = Card.SpeakToAs.Pronouns(id: "", pronouns: dice.pick(["they/them", "xe/xir"]))
            (pronouns.contexts, pronouns.pref) = (dice.contexts(), dice.pref())
            return pronouns
        }
    }
}

extension [String] {
    /// Each once, in order.
    var distinct: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
