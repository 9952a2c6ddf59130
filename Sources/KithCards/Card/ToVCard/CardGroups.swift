/// The groups of a vCard's properties, such as `item1`, with the planned changes.
struct CardGroups {
    private var groups: [Int: String] = [:]
    private var members: [String: [Int]] = [:]
    private var count = 0

    /// `taken`: the groups of properties that are added as well.
    init(of vCard: VCard, taken: [String]) {
        for (index, property) in vCard.properties.enumerated() {
            guard let group = property.group?.lowercased() else { continue }
            groups[index] = group
            members[group, default: []].append(index)
            take(group)
        }
        for group in taken { take(group) }
    }

    private mutating func take(_ group: String) {
        if let number = group.afterPrefix("item").flatMap({ Int($0) }), number < 1_000_000_000 {
            count = max(count, number)
        }
    }

    /// The group of the property at `index`, in small letters.
    subscript(index: Int) -> String? {
        get { groups[index] }
        set {
            if let old = groups[index] { members[old]?.removeAll { $0 == index } }
            groups[index] = newValue
            if let newValue { members[newValue, default: []].append(index) }
        }
    }

    /// The other properties in the group of the one at `index`.
    func neighbours(of index: Int) -> LazyFilterSequence<[Int]> {
        (groups[index].flatMap { members[$0] } ?? []).lazy.filter { $0 != index }
    }

    /// A new, empty group.
    mutating func new() -> String {
        count += 1
        return "item\(count)"
    }
}
