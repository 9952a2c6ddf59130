/// The workload of another project: the interactive session at a project board, W1, with the small data set, S, of Jazz's
/// “realistic” benchmark.
///
/// The numbers are those of `scenarios/w1_interactive.json` and `profiles/s.json` in `dev/benchmarks/realistic` of
/// <https://github.com/garden-co/jazz2>, at commit 6d7d91df.
struct BoardScenario {
    enum Operation: CaseIterable {
        case readBoard, readMyWork, readTask, updateTask, addComment, renameProject

        var isRead: Bool {
            switch self {
            case .readBoard, .readMyWork, .readTask: true
            case .updateTask, .addComment, .renameProject: false
            }
        }
    }

    var operations = 1_200
    var users = 10
    var projects = 30
    var tasks = 3_000
    var comments = 12_000
    var events = 9_000
    /// The projects whose boards are read.
    var hotProjects = 3
    /// The tasks, comments or events that one query shows.
    let limit = 200
    let seed: UInt64 = 9001 ^ 1337

    /// In percent.
    let weights: [(operation: Operation, weight: Int)] = [
        (.readBoard, 30), (.readMyWork, 15), (.readTask, 15), (.updateTask, 25), (.addComment, 10), (.renameProject, 5),
    ]

    /// A tenth of everything.
    static let small = BoardScenario(
        operations: 120, users: 10, projects: 3, tasks: 300, comments: 1_200, events: 900, hotProjects: 1)

    func operation(using random: inout some RandomNumberGenerator) -> Operation {
        var place = Int.random(in: 0..<weights.reduce(0) { $0 + $1.weight }, using: &random)
        for (operation, weight) in weights {
            if place < weight { return operation }
            place -= weight
        }
        return .readBoard
    }
}
