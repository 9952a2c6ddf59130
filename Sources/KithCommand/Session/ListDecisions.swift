import ArgumentParser
import Kith
import KithModel

/// The decisions about the lists of an account that is to be deleted, from options or from questions to the user.
struct ListDecisions: ParsableArguments {
    /// The decision about all lists that are not named.
    enum Others: String, ExpressibleByArgument, CaseIterable { case editor, delete }

    @Option(
        name: .customLong("hand-over"),
        help: ArgumentHelp(
            "Hand a list over to a person who is in it. May be repeated. LIST=editor: to the longest-standing editor.",
            valueName: "list=member"))
    var handOvers: [String] = []
    @Option(
        name: .customLong("delete-list"),
        help: ArgumentHelp("Delete a list for everybody who is in it. May be repeated.", valueName: "list"))
    var deleted: [String] = []
    @Option(
        name: .customLong("other-lists"),
        help: ArgumentHelp(
            """
            For all other lists of yours that people are in: hand each over to its longest-standing editor, or delete it for \
            everybody.
            """, valueName: "editor|delete"))
    var others: Others?

    /// The decisions.
    struct Decided {
        var lists: [ListID: ListDecision] = [:]
        var others: ListDecision?
    }

    /// The decisions of the options. At a terminal, the user is asked about the other lists.
    ///
    /// - Throws: ``Failure`` `listsUndecided`, which names the lists, if nobody can be asked.
    func decide(_ context: CommandContext) async throws -> Decided {
        let finder = ListFinder(context.client)
        var decided = Decided()
        switch others {
        case .editor: decided.others = .handOverToEditor
        case .delete: decided.others = .delete
        case nil: break
        }
        func add(_ decision: ListDecision, about list: SharedList) throws {
            guard decided.lists.updateValue(decision, forKey: list.id) == nil else {
                throw Failure.usage("“\(list.name)” is named twice. Nothing was deleted.")
            }
        }
        for text in handOvers {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw Failure.usage("“\(text)” is not LIST=MEMBER. Name the list and the person in it.")
            }
            let list = try await finder.list(parts[0])
            let isEditor = parts[1] == "editor"
            let decision: ListDecision =
                try await isEditor ? .handOverToEditor : .handOver(to: finder.member(parts[1], of: list).id)
            try add(decision, about: list)
        }
        for text in deleted { try add(.delete, about: try await finder.list(text)) }
        let open = try await context.client.session.listsToDecide().filter {
            decided.lists[$0.id] == nil && decided.others == nil
        }
        guard !open.isEmpty else { return decided }
        guard context.console.canAsk else {
            throw Failure(
                .usage, "listsUndecided",
                """
                Other people are in \(open.count == 1 ? "this list" : "these lists") of yours. Decide about \
                \(open.count == 1 ? "it" : "each"): --hand-over LIST=MEMBER, --delete-list LIST, or --other-lists \
                editor|delete. Nothing was deleted.
                """, candidates: open.map(\.name))
        }
        for list in open { decided.lists[list.id] = try await ask(about: list, context) }
        return decided
    }

    private func ask(about list: SharedList, _ context: CommandContext) async throws -> ListDecision {
        let called = try await context.client.namesOfPeople()
        let me = try await context.client.session.account()
        let people = try await context.lists.members(of: list.id).filter { $0.id != me }.map {
            "\($0.name(called) ?? $0.id.description) (\($0.role.rawValue))"
        }
        context.console.note("People in “\(list.name)”: \(people.joined(separator: ", "))".printable)
        let answer = context.console.choose(
            "Hand it over to the longest-standing editor, to a member, or delete it for everybody?",
            ["editor", "member", "delete"])
        switch answer {
        case "editor": return .handOverToEditor
        case "delete": return .delete
        case "member":
            guard let name = context.console.ask("Who gets it?") else { break }
            return .handOver(to: try await ListFinder(context.client).member(name, of: list).id)
        default: break
        }
        throw Failure(.failed, "unconfirmed", "Nothing was deleted, because nothing was decided about “\(list.name)”.")
    }
}
