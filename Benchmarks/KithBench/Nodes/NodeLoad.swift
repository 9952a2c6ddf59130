/// What the devices do, and what pgbench does beside them.
enum NodeLoad: CaseIterable {
    /// Devices push new items, each to a list of its own.
    case manyLists
    /// Devices of many people push new items to the same list.
    case oneList
    /// Devices with a list of their own do rounds with nothing new.
    case rounds

    /// The file in `Benchmarks/Nodes` with the statements of one action.
    var script: String { self == .rounds ? "round.sql" : "push.sql" }

    /// The most actions in one turn. A list has at most 200,000 records.
    var most: Int { self == .oneList ? 15_000 : .max }

    /// What a line of the table says.
    func title(lists: Int) -> String {
        switch self {
        case .manyLists: "pushes to \(lists.grouped) lists"
        case .oneList: "pushes to one list"
        case .rounds: "rounds with nothing new"
        }
    }
}
