import BenchReport
import Foundation
import Kith
import KithModel

/// Replays a ``BoardScenario`` with the SDK, on a device without a server, as Jazz's own program does by default.
///
/// A project is three lists: its tasks, the comments on them, and what has happened to them. A task's state is its category,
/// its priority is its count, and its assignee is its offer. The category of a comment or an event is its task.
struct ProjectBoard {
    private struct Project {
        var tasks: SharedList
        let comments, events: ListID
    }

    private static let states = ["todo", "in_progress", "review", "done"]

    private let scenario: BoardScenario
    private let client: KithClient
    private var projects: [Project] = []
    private var tasks: [(id: ItemID, project: Int)] = []
    private var random: SplitMix64

    static func measure(_ run: Run) async throws {
        var board = try await ProjectBoard(run.isSmoke ? .small : BoardScenario(), folder: run.folder)
        try await board.replay(run)
    }

    // MARK: The data set

    private init(_ scenario: BoardScenario, folder: URL) async throws {
        self.scenario = scenario
        random = SplitMix64(seed: scenario.seed)
        client = try KithClient(KithConfiguration(storage: .directory(folder.appending(path: "board"))))
        for project in 0..<scenario.projects {
            projects.append(
                Project(
                    tasks: try await client.lists.create("Project \(project)"),
                    comments: try await client.lists.create("Comments on project \(project)").id,
                    events: try await client.lists.create("Events of project \(project)").id))
        }
        for project in 0..<scenario.projects {
            let numbers = Array(stride(from: project, to: scenario.tasks, by: scenario.projects))
            let drafts = numbers.map { number in
                ItemDraft(
                    title: "Task \(number)", count: 1 + number % 4, category: Self.states[number % 4],
                    offer: "User \(number % scenario.users)")
            }
            let made = try await client.lists.add(drafts, to: projects[project].tasks.id)
            tasks += made.map { ($0.id, project) }
            try await add(scenario.comments, to: projects[project].comments, about: made) { number in
                ("Comment \(number) body", "User \(number * 7 % scenario.users)")
            }
            try await add(scenario.events, to: projects[project].events, about: made) { number in
                (number % 3 == 0 ? "task_updated" : "comment_added", "User \(number * 11 % scenario.users)")
            }
        }
    }

    /// Adds a project's part of `count` entries, each about one of its tasks in turn.
    private func add(
        _ count: Int, to list: ListID, about tasks: [ListItem], _ entry: (Int) -> (title: String, person: String)
    ) async throws {
        let drafts = (0..<count / scenario.projects).map { number in
            let (title, person) = entry(number)
            return ItemDraft(
                title: title, category: tasks[number % tasks.count].id.description, offer: person)
        }
        try await client.lists.add(drafts, to: list)
    }

    // MARK: The session

    private mutating func replay(_ run: Run) async throws {
        var (reads, writes) = (Samples(), Samples())
        let before = try await countComments()
        var comments = 0
        let start = ContinuousClock.now
        for number in 0..<scenario.operations {
            let operation = scenario.operation(using: &random)
            let begin = ContinuousClock.now
            try await perform(operation, number)
            let time = ContinuousClock.now - begin
            if operation.isRead { reads.append(time) } else { writes.append(time) }
            if operation == .addComment { comments += 1 }
        }
        let total = ContinuousClock.now - start
        let after = try await countComments()
        precondition(after == before + comments, "Comments are missing.")
        let rate = Double(scenario.operations) / (total / .seconds(1))
        run.line("Jazz’s project board (W1, S) on a device: operations", .perSecond(rate))
        run.line("Jazz’s project board: read the board, my work or a task, p50", .time(reads.p50))
        run.line("Jazz’s project board: read the board, my work or a task, p99", .time(reads.p99))
        run.line("Jazz’s project board: change a task, a comment or a project, p50", .time(writes.p50))
        run.line("Jazz’s project board: change a task, a comment or a project, p99", .time(writes.p99))
    }

    private mutating func perform(_ operation: BoardScenario.Operation, _ number: Int) async throws {
        switch operation {
        case .readBoard:
            let project = projects[pick(scenario.hotProjects)]
            let shown = try await newest(in: project.tasks.id) { _ in true }
            precondition(shown.count == min(scenario.limit, scenario.tasks / scenario.projects))
        case .readMyWork:
            let person = "User \(pick(scenario.users))"
            var work: [ListItem] = []
            for project in projects {
                work += try await newest(in: project.tasks.id) { $0.offer == person && $0.category == "in_progress" }
            }
            work.sort { $0.modified > $1.modified }
            precondition(work.count <= scenario.tasks)
        case .readTask:
            let task = tasks[pick(tasks.count)]
            let (project, id) = (projects[task.project], task.id.description)
            let comments = try await newest(in: project.comments) { $0.category == id }
            let events = try await newest(in: project.events) { $0.category == id }
            precondition(!comments.isEmpty && !events.isEmpty)
        case .updateTask:
            let task = tasks[pick(tasks.count)]
            let (state, count, person) = (Self.states[pick(4)], 1 + pick(4), "User \(pick(scenario.users))")
            try await client.lists.update(task.id, in: projects[task.project].tasks.id) { item in
                (item.category, item.count, item.offer) = (state, count, person)
            }
        case .addComment:
            let task = tasks[pick(tasks.count)]
            try await client.lists.add(
                "Interactive comment \(number)", to: projects[task.project].comments, category: task.id.description,
                offer: "User \(pick(scenario.users))")
        case .renameProject:
            let project = pick(projects.count)
            projects[project].tasks.name = "Project \(project), version \(number)"
            try await client.lists.update(projects[project].tasks)
        }
    }

    /// The matching items of a list, the newest first, as many as a query shows.
    private func newest(in list: ListID, _ isWanted: (ListItem) -> Bool) async throws -> [ListItem] {
        let items = try await client.lists.items(in: list).filter(isWanted)
        return Array(items.sorted { $0.modified > $1.modified }.prefix(scenario.limit))
    }

    private func countComments() async throws -> Int {
        var count = 0
        for project in projects { count += try await client.lists.items(in: project.comments).count }
        return count
    }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
}
