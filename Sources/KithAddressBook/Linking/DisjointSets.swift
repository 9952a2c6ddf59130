/// A union-find structure: a partition of numbers into sets, which grow as pairs are united.
struct DisjointSets {
    /// The parent of each member. The root of a set is its smallest member, which is its own parent.
    private var parents: [Int]

    /// A partition of `count` members into sets of one.
    init(count: Int) { parents = Array(0..<count) }

    /// The smallest member of the set that contains this one.
    mutating func find(_ member: Int) -> Int {
        var member = member
        while parents[member] != member {
            parents[member] = parents[parents[member]]
            member = parents[member]
        }
        return member
    }

    /// Merges the sets of two members.
    mutating func unite(_ one: Int, _ other: Int) {
        let (left, right) = (find(one), find(other))
        if left != right { parents[max(left, right)] = min(left, right) }
    }

    /// Splits a set into sets of one. `members` must be the whole set.
    mutating func dissolve(_ members: [Int]) {
        for member in members { parents[member] = member }
    }

    /// All sets, each sorted, in the order of their first members.
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
