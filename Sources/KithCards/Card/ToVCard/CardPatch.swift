/// Plans the edits that make a vCard match another card.
///
/// Properties that are the same for both cards stay untouched. In other properties, only the value or the parameters
/// that differ are changed.
struct CardPatch {
    /// How much of the vCard is written.
    enum Mode {
        /// Only the parts of properties that differ.
        case patch
        /// Whole properties for the parts that differ, because patching did not suffice.
        case rewrite
        /// Everything, because the vCard is empty.
        case write
    }

    let vCard: VCard
    let mode: Mode
    /// The card that the vCard represents.
    let old: Card
    /// The card that it is to represent.
    let new: Card
    /// The corresponding part of the new card, for each part of the old card that stays.
    let heirs: [CardPart: CardPart]
    /// The inverse of `heirs`.
    let ancestors: [CardPart: CardPart]
    let places: [CardPart: [CardBuilder.Place]]
    /// The parts that each property describes, by the property's index.
    private let parts: [Int: [CardPart]]
    /// Those of these parts that stay in the new card.
    private let staying: [Int: Set<CardPart>]
    var edits = CardEdits()
    var groups: CardGroups
    /// The groups of new organizations, by the ids of the organizations.
    var newGroups: [String: String] = [:]

    /// What rewritten parts keep of their old properties.
    private let keepsakes: [CardPart: Keepsake]
    /// The indices of the new card's organizations, by id.
    let organizations: [String: Int]
    /// The ids of the organizations that titles refer to.
    private let holders: Set<String>
    /// The property indices before which the new entries of a family are inserted. Computed for the first new entry.
    private var newPlaces: [CardPart.Family: [Int]] = [:]

    /// `taken`: the groups of properties that are added as well.
    init(
        of vCard: VCard, _ reading: CardBuilder, to card: Card, _ mode: Mode, taken: [String] = [],
        keepsakes: [CardPart: Keepsake] = [:]
    ) {
        (self.vCard, self.mode, old, new, self.keepsakes) = (vCard, mode, reading.card, card, keepsakes)
        organizations = Dictionary(zip(card.organizations.map(\.id), 0...), uniquingKeysWith: { first, _ in first })
        holders = Set(card.titles.compactMap(\.organization))
        heirs = Self.heirs(of: reading.card, in: card)
        ancestors = Dictionary(heirs.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        places = Dictionary(grouping: reading.places, by: \.part)
        parts = Dictionary(grouping: reading.places, by: \.property).mapValues { $0.map(\.part) }
        staying = parts.mapValues { [heirs] parts in Set(parts.filter { heirs[$0] != nil }) }
        groups = CardGroups(of: vCard, taken: taken)
        for organization in card.organizations {
            if let group = organization.vCardParameters["GROUP"].first { newGroups[organization.id] = group }
        }
        for (part, keepsake) in keepsakes {
            guard let place = part.place(in: .organization), let group = keepsake.group else { continue }
            newGroups[card.organizations[place].id] = group
        }
        for part in old.parts where !part.isListed { plan(part) }
        for part in new.parts where ancestors[part] == nil && !part.isListed { add(part) }
        planLists()
    }

    private static func heirs(of old: Card, in new: Card) -> [CardPart: CardPart] {
        let oldKeys = old.keys
        let heirs = new.keys.mapValues { Dictionary(zip($0, 0...), uniquingKeysWith: { first, _ in first }) }
        let pairs = old.parts.compactMap { part -> (CardPart, CardPart)? in
            guard case .entry(let family, let place) = part else { return (part, part) }
            guard let key = oldKeys[family]?[place], let heir = heirs[family]?[key] else { return nil }
            return (part, .entry(family, heir))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The index of the property that holds this aspect of a part.
    func place(of part: CardPart, _ aspect: Aspect = .itself) -> Int? {
        places[part]?.first { $0.aspect == aspect }?.property
    }

    /// Whether the property also describes another part that stays.
    func isShared(_ index: Int, by part: CardPart) -> Bool {
        guard let staying = staying[index] else { return false }
        return staying.count > (staying.contains(part) ? 1 : 0)
    }

    /// Whether the property holds a part itself, and not only an aspect of it.
    func isEntry(_ index: Int) -> Bool { (parts[index] ?? []).contains { place(of: $0) == index } }

    func writer(of part: CardPart) -> VCardWriter {
        guard mode != .write else { return newWriter(of: part) }
        let apart = (places[part] ?? []).map(\.aspect).filter { $0 != .itself }
        return VCardWriter(
            version: vCard.version, existing: place(of: part).map { vCard.properties[$0] }, apart: Set(apart))
    }

    /// The writer of a new or rewritten part. It follows the part's property in another vCard of the same version, if
    /// there is one.
    private func newWriter(of part: CardPart) -> VCardWriter {
        var writer = VCardWriter(version: vCard.version)
        guard mode == .write else { return writer }
        if case .entry(_, let place) = part { writer.place = place }
        if let keepsake = keepsakes[part] { (writer.existing, writer.apart) = (keepsake.property, keepsake.apart) }
        return writer
    }
}

// MARK: - Parts

extension CardPatch {
    /// Plans the change or the removal of a part of the old card.
    mutating func plan(_ part: CardPart) {
        let writer = writer(of: part)
        let old = writer.draft(of: part, in: old)
        guard let heir = heirs[part] else { return remove(part) }
        guard let new = writer.draft(of: heir, in: new) else {
            // A property that says no more than its absence, such as `KIND:individual`, stays.
            if old != nil { remove(part) }
            return
        }
        tie(part)
        guard old != new || mode == .write || isExposed(part), !isUndeclared(part, old, new) else { return }
        guard let index = place(of: part), mode == .patch, let old,
            let patch = PropertyPatch(of: vCard.properties[index], from: old, to: new)
        else { return rewrite(part, as: heir, new) }
        perform(patch, at: index)
        if old.organization != new.organization { regroup(index, to: group(ofOrganization: new.organization)) }
        for (aspect, _) in PropertyDraft.ordered(new.companions.merging(old.companions) { new, _ in new }) {
            plan(aspect, of: part, at: index, from: old.companions[aspect], to: new.companions[aspect])
        }
    }

    /// Whether the part is a position or a time zone without an address, which would seem to belong to one that is added.
    private func isExposed(_ part: CardPart) -> Bool {
        part.place(in: .address) != nil && place(of: part) == nil && new.addresses.count > old.addresses.count
    }

    /// Whether both drafts are derived full names, and the property does not say that its own is derived.
    ///
    /// The derived text would count as the card's own full name there, so an empty `FN` stays empty.
    private func isUndeclared(_ part: CardPart, _ old: PropertyDraft?, _ new: PropertyDraft) -> Bool {
        guard part == .fullName, mode != .write, old?.isDerived == true, new.isDerived else { return false }
        guard let index = place(of: part) else { return true }
        return vCard.properties[index].parameters["DERIVED"].first?.trimmedASCII.lowercased() != "true"
    }

    private mutating func perform(_ patch: PropertyPatch, at index: Int) {
        guard patch.value != nil || patch.parameters != nil else { return }
        edits.set(patch.value, patch.parameters ?? vCard.properties[index].parameters, at: index)
    }

    /// Plans the change, the insertion or the removal of a companion of the property at `index`.
    private mutating func plan(
        _ aspect: Aspect, of part: CardPart, at index: Int, from old: PropertyDraft?, to new: PropertyDraft?
    ) {
        guard old != new else { return }
        guard let place = place(of: part, aspect) else {
            if let new { edits.insert(new, group: aspect.isGrouped ? group(at: index) : nil, before: index + 1) }
            return
        }
        if let old, let new, let patch = PropertyPatch(of: vCard.properties[place], from: old, to: new) {
            perform(patch, at: place)
        } else if new == nil, !isShared(place, by: part) {
            edits.remove(at: place)
        }
    }

    /// Removes all properties that describe only this part.
    private mutating func remove(_ part: CardPart) {
        for place in places[part] ?? [] where !isShared(place.property, by: part) {
            edits.remove(at: place.property)
            // If only labels and country codes remain in its group, they describe nothing else and are removed too.
            let neighbours = groups.neighbours(of: place.property)
            if neighbours.allSatisfy({ [.xABLabel, .xABADR].contains(vCard.properties[$0].knownName) }) {
                for neighbour in neighbours { edits.remove(at: neighbour) }
            }
        }
    }

    /// Rewrites a part at its old position, or at the end if it had none.
    private mutating func rewrite(_ part: CardPart, as heir: CardPart, _ draft: PropertyDraft) {
        let index = place(of: part)
        var new = newWriter(of: part).draft(of: heir, in: new) ?? draft
        if index == nil { new = withoutAddress(new, part) }
        let start = part.place(in: .address) == nil ? nil : places[part]?.map(\.property).min()
        if case .embedded = new.value {
            guard let data = index.flatMap({ vCard.properties[$0].embedded }) else { return }
            new.value = .of(.data(data.bytes, mediaType: data.mediaType ?? "application/octet-stream"))
        }
        remove(part)
        // The part keeps its group if properties stay in it or join it, unless other entries share the group. An
        // organization always keeps its group. A title gets the group of its organization.
        let left = index.map { Array(groups.neighbours(of: $0)).filter { !edits.removes($0) } } ?? []
        let isShared = left.contains { self.isShared($0, by: part) } || part.place(in: .title) != nil
        let isUsed = !left.isEmpty || new.companions.keys.contains(where: \.isGrouped)
        let isKept = part.place(in: .organization) != nil || isUsed && !isShared
        write(
            kept(new, part), group: index.flatMap { isKept ? groups[$0] : nil },
            before: index ?? start ?? vCard.properties.count, isReplacing: index != nil)
    }

    /// Writes a part that the vCard lacks.
    mutating func add(_ part: CardPart) {
        guard let draft = newWriter(of: part).draft(of: part, in: new).map({ withoutAddress($0, part) }),
            case .of = draft.value
        else { return }
        let organization = part.place(in: .organization).map { new.organizations[$0].id }
        let isHeld = organization.map(holders.contains) ?? false
        let group = isHeld ? group(ofOrganization: organization) : keepsakes[part]?.group ?? draft.group
        write(kept(draft, part), group: group, before: place(for: part))
    }

    /// A position and a time zone that belong to no address, as properties of their own, as programs write them. That is
    /// so only if there is no other address, to which they would seem to belong.
    private func withoutAddress(_ draft: PropertyDraft, _ part: CardPart) -> PropertyDraft {
        guard part.place(in: .address) != nil, new.addresses.count == 1, keepsakes[part]?.property == nil,
            case .of(.components(let components)) = draft.value, components.allSatisfy({ $0.allSatisfy(\.isEmpty) })
        else { return draft }
        var omitted = draft
        let (uri, zone) = (draft.parameters["GEO"].first, draft.parameters["TZ"].first)
        if let uri { omitted.companions[.coordinates] = PropertyDraft(.geo, .plain(uri)) }
        if let zone { omitted.companions[.timeZone] = PropertyDraft(.tz, .text(zone)) }
        for name in ["GEO", "TZ"] { omitted.parameters[name] = [] }
        omitted.isOmitted = true
        let isAlone = omitted.companions.keys.allSatisfy { $0 == .coordinates || $0 == .timeZone }
        return isAlone && !omitted.companions.isEmpty && omitted.parameters.isEmpty ? omitted : draft
    }

    /// The draft with what the part keeps of its old properties.
    private func kept(_ draft: PropertyDraft, _ part: CardPart) -> PropertyDraft {
        guard let keepsake = keepsakes[part] else { return draft }
        var draft = draft
        draft.carry(keepsake.parameters)
        if let agent = keepsake.agent {
            draft.value = .of(.card(agent))
            draft.parameters["VALUE"] = vCard.version == .v4_0 ? ["text"] : []
        }
        if let label = keepsake.label, draft.companions[.label]?.value == .of(.text(Label(label).words)) {
            draft.companions[.label]?.value = .of(.text(label))
        }
        for (aspect, parameters) in keepsake.companions { draft.companions[aspect]?.carry(parameters) }
        return draft
    }

    /// `isReplacing`: whether it takes the place of a property. A derived property is not added where there was none.
    private mutating func write(
        _ draft: PropertyDraft, group: String?, before index: Int, isReplacing: Bool = false
    ) {
        var group = group
        if draft.organization != nil { group = self.group(ofOrganization: draft.organization) }
        if group == nil, !draft.isOmitted, draft.companions.keys.contains(where: \.isGrouped) { group = groups.new() }
        if !draft.isOmitted, !draft.isDerived || isReplacing || mode == .write {
            edits.insert(draft, group: group, before: index)
        }
        for (aspect, companion) in PropertyDraft.ordered(draft.companions) {
            edits.insert(companion, group: aspect.isGrouped ? group : nil, before: index)
        }
    }

    /// The index before which to insert a new entry: after the previous entry of the card, else before the next one,
    /// else at the end.
    private mutating func place(for part: CardPart) -> Int {
        guard case .entry(let family, let place) = part else { return vCard.properties.count }
        let newPlaces = newPlaces[family] ?? places(for: family)
        self.newPlaces[family] = newPlaces
        return newPlaces[place]
    }

    private func places(for family: CardPart.Family) -> [Int] {
        let written = (new.keys[family] ?? []).indices.map { place in
            ancestors[.entry(family, place)].flatMap { places[$0] }?.map(\.property) ?? []
        }
        var next = written.lazy.compactMap { $0.min() }.first ?? vCard.properties.count
        return written.map { properties in
            defer { if let last = properties.max() { next = last + 1 } }
            return next
        }
    }
}

extension CardPatch {
    /// The group of the property at `index`. The property moves to a new group if it has none, or if it shares its
    /// group with other entries.
    mutating func group(at index: Int) -> String {
        if let group = groups[index], !groups.neighbours(of: index).contains(where: isEntry) { return group }
        let group = groups.new()
        regroup(index, to: group)
        return group
    }

    mutating func regroup(_ index: Int, to group: String?) {
        groups[index] = group
        edits.regroup(group, at: index)
    }

    /// The group that ties titles to an organization; nil if there is no such organization.
    mutating func group(ofOrganization id: String?) -> String? {
        guard let id, let place = organizations[id] else { return nil }
        if let index = ancestors[.entry(.organization, place)].flatMap({ self.place(of: $0) }) {
            if groups[index] == nil { regroup(index, to: groups.new()) }
            return groups[index]
        }
        let group = newGroups[id] ?? groups.new()
        newGroups[id] = group
        return group
    }

    /// Puts an address and its ungrouped companions into one group if addresses are added. Otherwise the companions
    /// could belong to any of them.
    mutating func tie(_ part: CardPart) {
        guard part.place(in: .address) != nil, new.addresses.count > old.addresses.count else { return }
        let beside = (places[part] ?? []).filter { $0.aspect != .itself && groups[$0.property] == nil }
        guard let index = place(of: part), !beside.isEmpty else { return }
        let group = group(at: index)
        for place in beside { regroup(place.property, to: group) }
    }
}

extension Aspect {
    /// Whether a companion is tied to its entry by a group.
    var isGrouped: Bool {
        switch self {
        case .itself, .sortAs, .phonetic, .sound, .place, .placeCoordinates: false
        case .label, .fullAddress, .coordinates, .timeZone, .countryCode: true
        }
    }
}

extension CardPart {
    /// Whether one property can list several of these.
    var isListed: Bool { place(in: .keyword) != nil || place(in: .nickname) != nil }
}

extension CardPatch {
    /// Plans the properties that are lists. Each keeps those of its entries that stay.
    mutating func planLists() {
        var planned: Set<CardPart> = []
        let nicknamed = lists(of: .nickname, in: old.nicknames.count)
        for (index, parts) in nicknamed {
            // A single nickname is a property like any other.
            if parts.count == 1, let part = parts.first {
                plan(part)
                if let heir = heirs[part] { planned.insert(heir) }
            } else {
                let stays = parts.filter { part in heirs[part].map { saysTheSame($0, as: part) } ?? false }
                let names = stays.compactMap { heirs[$0]?.place(in: .nickname) }.map { new.nicknames[$0].name }
                let was = parts.compactMap { $0.place(in: .nickname) }.map { old.nicknames[$0].name }
                setList(names, at: index, was: was)
                planned.formUnion(stays.compactMap { heirs[$0] })
            }
        }
        for part in new.nicknames.indices.map({ CardPart.entry(.nickname, $0) }) where !planned.contains(part) {
            add(part)
        }
        planKeywords()
    }

    private mutating func planKeywords() {
        let (old, kept) = (Set(old.keywords), Set(new.keywords))
        var added = new.keywords.filter { !old.contains($0) }
        let lists = lists(of: .keyword, in: self.old.keywords.count)
        for (index, parts) in lists {
            let was = parts.compactMap { $0.place(in: .keyword) }.map { self.old.keywords[$0] }
            // New keywords are added to the last list.
            let isLast = index == lists.last?.index
            setList(was.filter(kept.contains) + (isLast ? added : []), at: index, was: was)
            if isLast { added = [] }
        }
        if !added.isEmpty {
            edits.insert(PropertyDraft(.categories, .list(added)), group: nil, before: vCard.properties.count)
        }
    }

    /// The properties that list entries of a family, in order, with their entries.
    private func lists(of family: CardPart.Family, in count: Int) -> [(index: Int, parts: [CardPart])] {
        var lists: [Int: [CardPart]] = [:]
        for part in (0..<count).map({ CardPart.entry(family, $0) }) {
            for place in places[part] ?? [] { lists[place.property, default: []].append(part) }
        }
        return lists.map { ($0.key, $0.value) }.sorted { $0.index < $1.index }
    }

    private mutating func setList(_ values: [String], at index: Int, was old: [String]) {
        guard values != old else { return }
        if values.isEmpty {
            edits.remove(at: index)
        } else {
            edits.set(.list(values), vCard.properties[index].parameters, at: index)
        }
    }

    /// Whether an entry and its counterpart in the new card differ at most in their names.
    private func saysTheSame(_ heir: CardPart, as part: CardPart) -> Bool {
        let writer = writer(of: part)
        return writer.draft(of: part, in: old)?.parameters == writer.draft(of: heir, in: new)?.parameters
    }
}
