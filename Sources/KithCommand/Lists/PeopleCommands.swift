import ArgumentParser
import Foundation
import Kith
import KithModel

/// The people in a list. All commands except “members” and “let-in” are edits: they work offline and are sent later.
extension ListsCommand {
    struct Members: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "members", abstract: "Show who is in a list.",
            discussion: "People who have joined since the last sync are shown after kith sync.")
        @OptionGroup var target: ListArgument
        @Flag(help: "Also show the people you have removed from your list. Asks the server.") var removed = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = removed ? try await target.findOwn(context) : try await target.find(context)
            let members = try await context.lists.members(of: list.id)
            let me = try await context.client.session.account()
            let names = try await context.client.namesOfPeople()
            let keptOut = removed ? try await context.lists.removedPeople(of: list.id) : nil
            let shapes = members.map { $0.shape(me: me, names) }
            return CommandAnswer(["members": shapes, "removed": keptOut?.map(\.shape)]) { colour in
                if members.isEmpty { return ["Nobody yet: the list has not been sent."] }
                let ids = ShortIDs(members.map(\.id))
                let table = Table(header: ["Name", "Role", "", "Id"], isNumbered: true, members) { member in
                    [
                        Table.Cell(member.name(names) ?? "(no name)"),
                        Table.Cell(member.role.rawValue),
                        member.id == me ? "you" : "", Table.Cell(ids[member.id], .faint),
                    ]
                }
                return table.lines(colour: colour) + (keptOut.map { RemovedPerson.lines($0, colour: colour) } ?? [])
            }
        }
    }

    struct SetRole: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "role", abstract: "Set a member's role: viewer or editor.")
        @OptionGroup var person: PersonArguments
        @Argument(help: "viewer or editor.") var role: Role
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if role == .owner { throw ValidationError("To make someone owner: kith lists hand-over LIST MEMBER.") }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let (list, member) = try await person.find(context)
            try await context.lists.setRole(role, of: member.id, in: list.id)
            let name = member.called(try await context.client.namesOfPeople())
            return try await context.client.answer(
                member.id, in: list, "\(name) is now \(role.rawValue) of “\(list.name)”.")
        }
    }

    struct HandOver: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "hand-over", abstract: "Make someone else the owner of a list; you become an editor.")
        @OptionGroup var person: PersonArguments
        @Flag(help: "Do not ask.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let (list, member) = try await person.find(context)
            if list.role != .owner {
                throw Failure(
                    .refused, "forbidden", "“\(list.name)” is somebody else's: only its owner can hand it over.")
            }
            let name = member.called(try await context.client.namesOfPeople())
            try context.console.confirm("Only \(name) can give “\(list.name)” back. Hand it over?", given: yes)
            try await context.lists.handOver(list.id, to: member.id)
            return try await context.client.answer(member.id, in: list, "\(name) is now the owner of “\(list.name)”.")
        }
    }

    struct RemoveMember: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-member", abstract: "Take someone out of a list. To let them join again: let-in.")
        @OptionGroup var person: PersonArguments
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let (list, member) = try await person.find(context)
            let (me, names) = (try await context.client.session.account(), try await context.client.namesOfPeople())
            try await context.lists.removeMember(member.id, from: list.id)
            return CommandAnswer(
                ["removed": member.shape(me: me, names)],
                "\(member.called(names)) is no longer in “\(list.name)”, and cannot join by a link.")
        }
    }

    /// `kith lists let-in`: lets a person that the owner has removed join by link again.
    struct LetIn: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "let-in", abstract: "Let someone you have removed from a list join again.")
        @OptionGroup var target: ListArgument
        @Argument(help: "The person: the name, the number in “kith lists members --removed”, or the start of the id.")
        var person: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.findOwn(context)
            let all = try await context.lists.removedPeople(of: list.id)
            let found = try Reference(person).find(in: all, kind: "removed person") {
                Nameable(id: $1.account, name: $1.name, number: $0 + 1)
            }
            try await context.lists.letIn(found.account, to: list.id)
            return CommandAnswer(
                ["letIn": found.shape], "An invitation link lets \(found.called) into “\(list.name)” again.")
        }
    }

    struct MyName: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "my-name", abstract: "Set your name in a list.")
        @OptionGroup var target: ListArgument
        @Argument(help: "Your name, as the others in the list see it.") var name: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            try await context.lists.setMyName(name, in: list.id)
            return try await context.lists.summary(of: list).answer("In “\(list.name)” you are called \(name).")
        }
    }

    struct Leave: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave", abstract: "Leave a list that is somebody else's.")
        @OptionGroup var target: ListArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            if list.role == .owner {
                throw Failure(
                    .refused, "ownerStays",
                    "“\(list.name)” is yours. Hand it over (kith lists hand-over) or remove it (kith lists remove).")
            }
            let summary = try await context.lists.summary(of: list)
            try await context.lists.leave(list.id)
            return CommandAnswer(["left": summary.shape], "You have left “\(list.name)”.")
        }
    }
}

extension KithClient {
    /// The answer of a command that has changed the role of a person in a list: `{"member": …}` and a sentence.
    fileprivate func answer(
        _ person: AccountID, in list: SharedList, _ sentence: String
    ) async throws -> CommandAnswer {
        let (me, names) = (try await session.account(), try await namesOfPeople())
        let member = try await lists.members(of: list.id).first { $0.id == person }
        return CommandAnswer(["member": member?.shape(me: me, names)], sentence)
    }
}

extension Member {
    /// The member for `--json`: `name` is the person's name, `ownName` the name chosen for the list.
    func shape(me: AccountID?, _ names: [AccountID: String]) -> Shape {
        [
            "account": id, "list": listID, "role": role, "name": name(names), "ownName": name, "you": id == me,
            "modified": modified.date,
        ]
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
