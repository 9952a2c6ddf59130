extension CardPart {
    /// Whether several of these can stand in one property.
    var isListed: Bool { place(in: .keyword) != nil || place(in: .nickname) != nil }
}

extension CardPatch {
    /// Plans the properties that are lists: each keeps what is still to be in it.
    mutating func planLists() {
        var planned: Set<CardPart> = []
        let nicknamed = lists(of: .nickname, in: old.nicknames.count)
        for (index, parts) in nicknamed {
            // One alone is a property like others.
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
            // New ones join the last list that there is.
            let isLast = index == lists.last?.index
            setList(was.filter(kept.contains) + (isLast ? added : []), at: index, was: was)
            if isLast { added = [] }
        }
        if !added.isEmpty {
            edits.insert(PropertyDraft(.categories, .list(added)), group: nil, before: vCard.properties.count)
        }
    }

    /// The properties that list entries of a family, each with these, in order.
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

    /// Whether the same is said of an entry as of its heir, besides its name.
    private func saysTheSame(_ heir: CardPart, as part: CardPart) -> Bool {
        let writer = writer(of: part)
        return writer.draft(of: part, in: old)?.parameters == writer.draft(of: heir, in: new)?.parameters
    }
}
