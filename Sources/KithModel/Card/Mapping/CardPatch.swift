/// Finds out what to change in a vCard so that it says another card.
///
/// A property that says the same of both cards is not touched. One that says
/// something else is patched: its value, if that differs, and those parameters
/// that differ.
struct CardPatch {
    /// How far a patch goes.
    enum Reach {
        /// What differs is patched.
        case patch
        /// What differs is written anew. It is for what patching has not reached.
        case rewrite
        /// All is written: the vCard has nothing yet.
        case write
    }

    let vCard: VCard
    let reach: Reach
    let reading: CardReading
    /// The card that the vCard is to say.
    let card: Card
    /// By each part that the vCard says, the same part of ``card``.
    let heirs: [CardPart: CardPart]
    var edits = CardEdits()
    private var groups: CardGroups
    /// The groups of organizations that are new, by their ids.
    private var newGroups: [String: String] = [:]

    init(of vCard: VCard, _ reading: CardReading, to card: Card, _ reach: Reach) {
        (self.vCard, self.reading, self.card, self.reach) = (vCard, reading, card, reach)
        heirs = Self.heirs(of: reading.card, in: card)
        groups = CardGroups(of: vCard)
        let known = Set(heirs.values)
        for part in reading.card.parts where !isListed(part) { plan(part) }
        for part in card.parts where !known.contains(part) && !part.isListed { add(part) }
        planList(of: .nickname)
        planList(of: .keyword)
    }

    private static func heirs(of old: Card, in new: Card) -> [CardPart: CardPart] {
        let (oldKeys, newKeys) = (old.keys, new.keys)
        var heirs: [CardPart: CardPart] = [:]
        for part in old.parts {
            if case .entry(let family, let place) = part {
                let heir = newKeys[family]?.firstIndex { $0 == oldKeys[family]?[place] }
                heirs[part] = heir.map { .entry(family, $0) }
            } else {
                heirs[part] = part
            }
        }
        return heirs
    }

    // MARK: What is where

    /// The properties that say this of a part.
    func places(of part: CardPart, _ aspect: Aspect = .itself) -> [Int] {
        reading.places.filter { $0.part == part && $0.aspect == aspect }.map(\.property)
    }

    /// Whether the property says something of another part, which stays.
    private func isShared(_ index: Int, by part: CardPart) -> Bool {
        reading.places.contains { $0.property == index && $0.part != part && heirs[$0.part] != nil }
    }

    func wording(of part: CardPart) -> Wording {
        let apart = reading.places.filter { $0.part == part && $0.aspect != .itself }.map(\.aspect)
        let existing = places(of: part).first.map { vCard.properties[$0] }
        return Wording(version: vCard.version, existing: existing, apart: Set(apart))
    }
}

// MARK: - Parts

extension CardPatch {
    /// Plans what becomes of a part that the vCard's card has.
    mutating func plan(_ part: CardPart) {
        let wording = wording(of: part)
        let old = wording.draft(of: part, in: reading.card)
        guard let heir = heirs[part], let new = wording.draft(of: heir, in: card) else { return remove(part) }
        tie(part)
        guard old != new || reach == .write else { return }
        guard let index = places(of: part).first, reach == .patch, let old,
            let patch = PropertyPatch(of: vCard.properties[index], from: old, to: new)
        else { return rewrite(part, as: heir, new) }
        perform(patch, at: index)
        if old.organization != new.organization { regroup(index, to: group(ofOrganization: new.organization)) }
        for aspect in Set(old.companions.keys).union(new.companions.keys) {
            plan(aspect, of: part, at: index, from: old.companions[aspect], to: new.companions[aspect])
        }
    }

    private mutating func perform(_ patch: PropertyPatch, at index: Int) {
        guard patch.value != nil || patch.parameters != nil else { return }
        edits.set(patch.value, patch.parameters ?? vCard.properties[index].parameters, at: index)
    }

    /// Plans what becomes of a companion of the property at `index`.
    private mutating func plan(
        _ aspect: Aspect, of part: CardPart, at index: Int, from old: PropertyDraft?, to new: PropertyDraft?
    ) {
        guard old != new else { return }
        guard let place = places(of: part, aspect).first else {
            if let new { edits.insert(new, group: aspect.isGrouped ? group(at: index) : nil, before: index + 1) }
            return
        }
        if let old, let new, let patch = PropertyPatch(of: vCard.properties[place], from: old, to: new) {
            perform(patch, at: place)
        } else if new == nil, !isShared(place, by: part) {
            edits.remove(at: place)
        }
    }

    /// Takes out all that the vCard says of a part.
    mutating func remove(_ part: CardPart) {
        for place in reading.places where place.part == part && !isShared(place.property, by: part) {
            edits.remove(at: place.property)
            // What belongs to it alone and says nothing that a card can have goes with it.
            let neighbours = groups.neighbours(of: place.property)
            if neighbours.allSatisfy({ [.xABLabel, .xABADR].contains(vCard.properties[$0].known) }) {
                for neighbour in neighbours { edits.remove(at: neighbour) }
            }
        }
    }

    /// Writes a part anew where it was, or at the end if it was nowhere.
    private mutating func rewrite(_ part: CardPart, as heir: CardPart, _ draft: PropertyDraft) {
        let index = places(of: part).first
        var new = Wording(version: vCard.version).draft(of: heir, in: card) ?? draft
        if case .embedded = new.value {
            guard let data = index.flatMap({ vCard.properties[$0].embedded }) else { return }
            new.value = .of(.data(data.bytes, mediaType: data.mediaType ?? "application/octet-stream"))
        }
        remove(part)
        // It keeps its group for what is left in it or comes into it, unless that is of other entries. A title finds its
        // group by itself.
        let left = index.map { groups.neighbours(of: $0).filter { !edits.removes($0) } } ?? []
        let isShared = left.contains { self.isShared($0, by: part) } || part.isTitle
        let isUsed = !left.isEmpty || new.companions.keys.contains(where: \.isGrouped)
        let group = index.flatMap { part.isOrganization || isUsed && !isShared ? groups[$0] : nil }
        write(new, group: group, before: index ?? vCard.properties.count)
    }

    /// Writes a part that the vCard has not yet, behind the entry before it.
    private mutating func add(_ part: CardPart) {
        guard let draft = Wording(version: vCard.version).draft(of: part, in: card) else { return }
        var group: String?
        if case .entry(.organization, let place) = part {
            let id = card.organizations[place].id
            if card.titles.contains(where: { $0.organization == id }) { group = self.group(ofOrganization: id) }
        }
        write(draft, group: group, before: place(for: part))
    }

    private mutating func write(_ draft: PropertyDraft, group: String?, before index: Int) {
        var group = group
        if draft.organization != nil { group = self.group(ofOrganization: draft.organization) }
        if group == nil, draft.companions.keys.contains(where: \.isGrouped) { group = groups.new() }
        if !draft.isDerived || reach == .write {
            edits.insert(draft, group: group, before: index)
        }
        for (aspect, companion) in draft.companions.sorted(by: { $0.value.name.rawValue < $1.value.name.rawValue }) {
            edits.insert(companion, group: aspect.isGrouped ? group : nil, before: index)
        }
    }

    /// Where to put a new entry: behind the one before it in the card, before the one after it, else at the end.
    func place(for part: CardPart) -> Int {
        guard case .entry(let family, let place) = part else { return vCard.properties.count }
        let ancestors = Dictionary(heirs.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        let places = { (place: Int) in
            ancestors[.entry(family, place)].map { part in reading.places.filter { $0.part == part }.map(\.property) }
                ?? []
        }
        for place in (0..<place).reversed() { if let last = places(place).max() { return last + 1 } }
        for place in (place + 1)..<max(place + 1, heirs.count) { if let first = places(place).min() { return first } }
        return vCard.properties.count
    }
}

// MARK: - Groups

extension CardPatch {
    /// The group of the property at `index`, which is put into one if it is in none, or in one with other parts.
    private mutating func group(at index: Int) -> String {
        let others = groups.neighbours(of: index).filter { neighbour in
            reading.places.contains { $0.property == neighbour && $0.aspect == .itself }
        }
        if let group = groups[index], others.isEmpty { return group }
        let group = groups.new()
        regroup(index, to: group)
        return group
    }

    /// Puts an address into one group with what stands beside it, where more addresses come that this could belong to.
    private mutating func tie(_ part: CardPart) {
        guard case .entry(.address, _) = part, card.addresses.count > reading.card.addresses.count else { return }
        let beside = reading.places.filter { $0.part == part && $0.aspect != .itself && groups[$0.property] == nil }
        guard let index = places(of: part).first, !beside.isEmpty else { return }
        let group = group(at: index)
        for place in beside { regroup(place.property, to: group) }
    }

    private mutating func regroup(_ index: Int, to group: String?) {
        groups[index] = group
        edits.regroup(group, at: index)
    }

    /// The group by which titles say that they are held in an organization; nil if there is no such organization.
    private mutating func group(ofOrganization id: String?) -> String? {
        guard let id else { return nil }
        if let group = newGroups[id] { return group }
        if let place = reading.card.organizations.firstIndex(where: { $0.id == id }),
            heirs[.entry(.organization, place)] != nil, let index = places(of: .entry(.organization, place)).first
        {
            if groups[index] == nil { regroup(index, to: groups.new()) }
            return groups[index]
        }
        guard card.organizations.contains(where: { $0.id == id }) else { return nil }
        newGroups[id] = groups.new()
        return newGroups[id]
    }
}

// MARK: - Lists

extension CardPatch {
    /// Whether the part is one of several in a property, or might be.
    private func isListed(_ part: CardPart) -> Bool { part.isListed }

    /// Plans the properties of a family whose properties are lists: each keeps what is still to be in it.
    private mutating func planList(of family: CardPart.Family) {
        let old = (reading.card.keys[family] ?? []).indices.map { CardPart.entry(family, $0) }
        var new = (card.keys[family] ?? []).indices.map { CardPart.entry(family, $0) }
        let indices = Set(old.flatMap { places(of: $0) }).sorted()
        for index in indices {
            let parts = old.filter { places(of: $0).contains(index) }
            if family == .nickname, let part = parts.first, parts.count == 1 {
                plan(part)
                new.removeAll { $0 == heirs[part] }
                continue
            }
            let kept = parts.compactMap { heirs[$0] }.filter { !differsByParameters($0, parts) }
            var values = kept.compactMap { value(of: $0, in: card) }
            new.removeAll(where: kept.contains)
            // New keywords join the last list that there is.
            if family == .keyword, index == indices.last {
                values += new.compactMap { value(of: $0, in: card) }
                new = []
            }
            if values == parts.compactMap({ value(of: $0, in: reading.card) }) { continue }
            if values.isEmpty {
                edits.remove(at: index)
            } else {
                edits.set(.list(values), vCard.properties[index].parameters, at: index)
            }
        }
        if family == .keyword, !new.isEmpty {
            let keywords = PropertyDraft(.categories, .list(new.compactMap { value(of: $0, in: card) }))
            edits.insert(keywords, group: nil, before: vCard.properties.count)
        } else {
            for part in new { add(part) }
        }
    }

    private func value(of part: CardPart, in card: Card) -> String? {
        guard case .entry(let family, let place) = part else { return nil }
        return family == .keyword ? card.keywords[place] : card.nicknames[place].name
    }

    /// Whether what is said of an entry besides its name differs from what the list says of it.
    private func differsByParameters(_ heir: CardPart, _ parts: [CardPart]) -> Bool {
        guard let part = parts.first(where: { heirs[$0] == heir }) else { return false }
        let wording = wording(of: part)
        return wording.draft(of: part, in: reading.card)?.parameters != wording.draft(of: heir, in: card)?.parameters
    }
}

extension CardPart {
    /// Whether several of these can stand in one property.
    fileprivate var isListed: Bool {
        if case .entry(.keyword, _) = self { true } else if case .entry(.nickname, _) = self { true } else { false }
    }

    fileprivate var isOrganization: Bool { if case .entry(.organization, _) = self { true } else { false } }
    fileprivate var isTitle: Bool { if case .entry(.title, _) = self { true } else { false } }
}

extension Aspect {
    /// Whether a companion is told by its group.
    fileprivate var isGrouped: Bool {
        switch self {
        case .itself, .sortAs, .phonetic: false
        case .label, .fullAddress, .coordinates, .timeZone, .countryCode: true
        }
    }
}
