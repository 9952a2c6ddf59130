/// Things that are found to belong together, pair by pair: Tarjan's union-find.
struct DisjointSets {
    /// Each one's parent; a set's smallest member is its own.
    private var parents: [Int]

    /// As many sets of one.
    init(count: Int) { parents = Array(0..<count) }

    /// The smallest member of the set that this one is in.
    mutating func find(_ member: Int) -> Int {
        var member = member
        while parents[member] != member {
            parents[member] = parents[parents[member]]
            member = parents[member]
        }
        return member
    }

    /// Makes one set of two.
    mutating func unite(_ one: Int, _ other: Int) {
        let (left, right) = (find(one), find(other))
        if left != right { parents[max(left, right)] = min(left, right) }
    }

    /// Makes each member of a whole set a set of its own.
    mutating func dissolve(_ members: [Int]) {
        for member in members { parents[member] = member }
    }

    /// All sets, each in order, in the order of their first members.
    var groups: [[Int]] {
        mutating get {
            var groups: [[Int]] = []
            groups.reserveCapacity(parents.count)
            var numbers = [Int](repeating: -1, count: parents.count)
            for member in parents.indices {
                let first = find(member)
                if numbers[first] < 0 {
                    numbers[first] = groups.count
                    groups.append([member])
                } else {
                    groups[numbers[first]].append(member)
                }
            }
            return groups
        }
    }
}
