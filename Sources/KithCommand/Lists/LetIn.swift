import ArgumentParser
import Foundation
import Kith
import KithModel

extension ListsCommand {
    /// `kith lists let-in`: lets a person that the owner has removed join by link again.
    struct LetIn: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "let-in", abstract: "Let someone you have removed from a list join again.")
        @OptionGroup var target: ListArgument
        @Argument(help: "The person: the name, the number in “kith lists members --removed”, or the start of the id.")
        var person: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await context.list(target.list)
            let all = try await context.lists.removedPeople(of: list.id)
            let found = try Reference(person).find(in: all, kind: "removed person") {
                Nameable(id: $1.account, name: $1.name, number: $0 + 1)
            }
            try await context.lists.letIn(found.account, to: list.id)
            return CommandAnswer(
                ["letIn": found.shape], "An invitation link lets \(found.called) into “\(list.name)” again.")
        }
    }
}

extension RemovedPerson {
    fileprivate var called: String { name ?? "member \(account.short)" }

    var shape: Shape { ["account": account, "name": name, "removed": removed.date] }

    /// The people who are excluded from a list, as a table under its own heading.
    static func lines(_ people: [RemovedPerson], colour: Bool) -> [String] {
        if people.isEmpty { return ["", "You have removed nobody."] }
        let ids = ShortIDs(people.map(\.account))
        let table = Table(header: ["Name", "Removed", "Id"], isNumbered: true, people) { person in
            [
                Table.Cell(person.name ?? "(no name)"),
                Table.Cell(person.removed.date.formatted(.iso8601.year().month().day())),
                Table.Cell(ids[person.account], .faint),
            ]
        }
        return ["", "Removed; they cannot join by a link:"] + table.lines(colour: colour)
    }
}
