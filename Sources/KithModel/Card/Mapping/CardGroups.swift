/// The groups of a vCard's properties, as they are and as they are to be: `item1`.
struct CardGroups {
    private var groups: [Int: String] = [:]
    private var count = 0

    init(of vCard: VCard) {
        for (index, property) in vCard.properties.enumerated() {
            guard let group = property.group?.lowercased() else { continue }
            groups[index] = group
            if let number = group.afterPrefix("item").flatMap({ Int($0) }) { count = max(count, number) }
        }
    }

    /// The group of the property at `index`, in small letters.
    subscript(index: Int) -> String? {
        get { groups[index] }
        set { groups[index] = newValue }
    }

    /// The other properties in the group of the one at `index`.
    func neighbours(of index: Int) -> [Int] {
        guard let group = groups[index] else { return [] }
        return groups.filter { $0.value == group && $0.key != index }.map(\.key)
    }

    /// A group in which there is nothing yet.
    mutating func new() -> String {
        count += 1
        return "item\(count)"
    }
}
