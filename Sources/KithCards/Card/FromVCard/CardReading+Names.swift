extension CardReading {
    /// The rules of names, titles and organizations.
    static let nameRules: [VCard.PropertyName: Rule] = [
        .fn: { $0.readFullName($1) },
        .n: { $0.readName($1) },
        .nickname: { $0.readNicknames($1) },
        .org: { $0.readOrganization($1) },
        .title: { $0.readTitle($1, .title) },
        .role: { $0.readTitle($1, .role) },
        .gramGender: { $0.readGender($1) },
        .pronouns: {
            let pronouns = Card.SpeakToAs.Pronouns(id: "", pronouns: $1.text)
            if !pronouns.pronouns.isEmpty { $0.add(pronouns, to: \.speakToAs.pronouns, .pronouns, $1) }
        },
        .sortString: { $0.companions.append($1) },
        .xPhoneticFirstName: { $0.companions.append($1) },
        .xPhoneticMiddleName: { $0.companions.append($1) },
        .xPhoneticLastName: { $0.companions.append($1) },
    ]

    /// A full name that its program made of the parts says nothing that they do not (RFC 9554, section 4.4).
    private mutating func readFullName(_ statement: CardProperty) {
        guard isFirst(.fullName) else { return }
        let text = statement.text
        if statement["DERIVED"]?.lowercased() != "true", !text.isEmpty { card.name.full = text }
        note(.fullName, statement)
    }

    private mutating func readName(_ statement: CardProperty) {
        guard isFirst(.name) else { return }
        note(.name, statement)
        let layout = NameLayout(NameLayout.components(of: statement.property))
        if let comps = statement["JSCOMPS"].flatMap(JSComps.init), let ordered = layout.ordered(by: comps) {
            card.name.components = ordered
            card.name.isOrdered = true
            card.name.defaultSeparator = comps.defaultSeparator
        } else {
            card.name.components = layout.components
        }
        card.name.vCardParameters = statement.carried(by: .name)
        guard statement.words.hasOtherParameters else { return }
        let sortAs = statement.property.parameters["SORT-AS"].map(\.trimmed)
        for (kind, text) in zip(NameLayout.kinds, sortAs) where !text.isEmpty { card.name.sortAs[kind] = text }
    }

    private mutating func readNicknames(_ statement: CardProperty) {
        let names = statement.property.list.map(\.trimmed).filter { !$0.isEmpty }
        for name in names {
            var nickname = Card.Nickname(id: "", name: name)
            (nickname.contexts, nickname.pref) = (statement.words.contexts, statement.words.pref)
            add(nickname, to: \.nicknames, .nickname, statement, id: names.count == 1 ? statement.id : nil)
        }
    }

    private mutating func readOrganization(_ statement: CardProperty) {
        // Commas part nothing here, and some programs do not escape them.
        let names = statement.property.components.map { $0.joined(separator: ",").trimmed }
        let units = names.dropFirst().filter { !$0.isEmpty }
        let name = names.first.flatMap { $0.isEmpty ? nil : $0 }
        guard name != nil || !units.isEmpty else { return }
        var organization = Card.Organization(id: "", name: name, units: Array(units))
        organization.contexts = statement.words.contexts
        organization.sortAs = statement["SORT-AS"]
        add(organization, to: \.organizations, .organization, statement, id: statement.id)
    }

    private mutating func readTitle(_ statement: CardProperty, _ kind: Card.Title.Kind) {
        let title = Card.Title(id: "", kind: kind, name: statement.text)
        if !title.name.isEmpty { add(title, to: \.titles, .title, statement, id: statement.id) }
    }

    private mutating func readGender(_ statement: CardProperty) {
        guard let gender = Card.SpeakToAs.Gender(rawValue: statement.text.lowercased()),
            card.speakToAs.grammaticalGender == nil
        else { return }
        card.speakToAs.grammaticalGender = gender
        note(.grammaticalGender, statement)
    }
}

/// The parts of a name as `N` has them: five components (RFC 6350, section 6.2.2), and two more of RFC 9554.
struct NameLayout: ComponentLayout {
    /// What each component holds, and each value of SORT-AS stands for.
    static let kinds: [Card.Name.Kind] = [.surname, .given, .given2, .title, .credential, .surname2, .generation]
    static let old = 5
    static let freeText = 4
    /// Among which parts, for readers that know only the old components, those of new ones stand too.
    static let twins: [Card.Name.Kind: Card.Name.Kind] = [.surname: .surname2, .credential: .generation]

    let values: ArraySlice<[String]>

    init(_ components: [[String]]) { values = components.prefix(Self.kinds.count) }

    /// What stands behind the last component moves none before it.
    static func isMoved(_ components: [[String]]) -> Bool { false }

    /// The parts in vCard's order.
    var components: [Card.Name.Component] {
        var components: [Card.Name.Component] = []
        for (index, kind) in Self.kinds.enumerated() where index < values.count {
            for value in said(index) where !value.isEmpty { components.append(Card.Name.Component(kind, value)) }
        }
        return components
    }

    /// The values of a component without those that readers who know RFC 9554 find in another.
    ///
    /// A second surname is among the surnames too, a generation among the
    /// credentials: behind those that are surnames and credentials alone.
    private func said(_ index: Int) -> [String] {
        let said = values[index].map(\.trimmed)
        guard let twin = Self.twins[Self.kinds[index]].flatMap({ Self.kinds.firstIndex(of: $0) }), twin < values.count
        else {
            return said
        }
        var repeated = Dictionary(values[twin].map { ($0.trimmed, 1) }, uniquingKeysWith: +)
        let kept = said.reversed().filter { value in
            guard let count = repeated[value], count > 0 else { return true }
            repeated[value] = count - 1
            return false
        }
        return kept.reversed()
    }

    /// What these parts say of how those of another name sound: the values in the same places.
    func sounds(of components: [Card.Name.Component]) -> [String?] {
        var counts: [Card.Name.Kind: Int] = [:]
        return components.map { component in
            guard let index = Self.kinds.firstIndex(of: component.kind), index < values.count else { return nil }
            let number = counts[component.kind, default: 0]
            counts[component.kind] = number + 1
            guard number < values[index].count, !values[index][number].trimmed.isEmpty else { return nil }
            return values[index][number].trimmed
        }
    }
}
