/// The ids of a family's entries, each once.
struct EntryIDs {
    private var used: Set<String>
    private var number = 0

    init(_ used: [String]) { self.used = Set(used) }

    /// The given id, if there is one and no other entry has it; else the next that no other has.
    mutating func next(_ given: String?, _ family: CardPart.Family, at place: Int) -> String {
        if let given, used.insert(given).inserted { return given }
        number = max(number, place)
        while !used.insert(family.id(at: number)).inserted { number += 1 }
        return family.id(at: number)
    }
}
