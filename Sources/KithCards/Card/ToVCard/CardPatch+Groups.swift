extension CardPatch {
    /// The group of the property at `index`, which is put into one if it is in none, or in one with other entries.
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

    /// The group by which titles say that they are held in an organization; nil if there is no such organization.
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

    /// Puts an address into one group with what stands beside it, where more addresses come that this could belong to.
    mutating func tie(_ part: CardPart) {
        guard part.place(in: .address) != nil, new.addresses.count > old.addresses.count else { return }
        let beside = (places[part] ?? []).filter { $0.aspect != .itself && groups[$0.property] == nil }
        guard let index = place(of: part), !beside.isEmpty else { return }
        let group = group(at: index)
        for place in beside { regroup(place.property, to: group) }
    }
}

extension Aspect {
    /// Whether a companion is told by its group.
    var isGrouped: Bool {
        switch self {
        case .itself, .sortAs, .phonetic, .sound, .place, .placeCoordinates: false
        case .label, .fullAddress, .coordinates, .timeZone, .countryCode: true
        }
    }
}
