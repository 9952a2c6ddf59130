/// Gives unique ids to the entries of a family.
struct EntryIDs {
    private var used: Set<String>
    private var number = 0

    init(_ used: [String]) { self.used = Set(used) }

    /// The given id if it is unused; else the next unused id made from an index.
    mutating func next(_ given: String?, _ family: CardPart.Family, at place: Int) -> String {
        if let given, used.insert(given).inserted { return given }
        number = max(number, place)
        while !used.insert(family.id(at: number)).inserted { number += 1 }
        return family.id(at: number)
    }
}
