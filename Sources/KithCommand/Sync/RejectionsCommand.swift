import ArgumentParser
import Kith
import KithModel

/// `kith rejections`: the edits that the server refused, until the user dismisses them.
struct RejectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejections", abstract: "Show the edits that the server refused, with their content.",
        subcommands: [Show.self, Dismiss.self], defaultSubcommand: Show.self)

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the rejections. (Also: kith rejections)")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let rejections = try await context.client.rejections()
            let names = Dictionary(
                uniqueKeysWithValues: try await context.client.network.contacts(in: .everyone)
                    .map { ($0.id, $0.called) })
            return CommandAnswer(["rejections": rejections.map(\.shape)]) { colour in
                if rejections.isEmpty { return ["Nothing was refused."] }
                let ids = ShortIDs(rejections.map(\.id))
                let table = Table(
                    header: ["When", "What", "Why", "Lost", "There now", "Id"], isNumbered: true, rejections
                ) { rejection in
                    [
                        Table.Cell(rejection.date.day), Table.Cell(rejection.what(names)),
                        Table.Cell(rejection.sentence), Table.Cell(rejection.lost), Table.Cell(rejection.present),
                        Table.Cell(ids[rejection.id], .faint),
                    ]
                }
                return table.lines(colour: colour) + ["When you have taken note: kith rejections dismiss --all"]
            }
        }
    }

    struct Dismiss: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "dismiss", abstract: "Dismiss rejections: they are not shown again.")
        @Argument(help: "Which: the number in the listing, or the start of the id.") var rejections: [String] = []
        @Flag(help: "All of them.") var all = false
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if rejections.isEmpty != all { throw ValidationError("Name the rejections to dismiss, or use --all.") }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let known = try await context.client.rejections()
            let names = known.enumerated().map { Nameable(id: $1.id, name: nil, number: $0 + 1) }
            let chosen = try rejections.map { try Reference($0).resolve(among: names, kind: "rejection").id }
            let dismissed = all ? known : known.filter { chosen.contains($0.id) }
            // Only these: another program can have received one meanwhile, which nobody has seen.
            for rejection in dismissed { try await context.client.dismiss(rejection.id) }
            return CommandAnswer(
                ["dismissed": dismissed.map(\.shape)], "Dismissed \(dismissed.count.things("rejection")).")
        }
    }
}

extension Rejection {
    fileprivate var shape: Shape {
        [
            "id": id, "code": code, "sentence": sentence, "collection": collection, "record": record, "list": listID,
            "account": accountID, "listName": listName, "title": title, "values": values, "current": current,
            "deletion": isDeletion, "date": date,
        ]
    }

    /// The values that were lost, in a line.
    fileprivate var lost: String { isOfMissingDuplicate ? "" : Self.line(values.filter { $0.value != .null }) }

    /// The current values, in a line.
    fileprivate var present: String {
        if isCreation { return "it was not added" }
        guard let current else { return accountID == nil ? "it is gone" : "" }
        return isDeletion ? "it is still there" : Self.line(current)
    }

    /// Values in a readable form, without index keys.
    private static func line(_ values: Fields) -> String {
        values.filter { !["position", "wish", "isBlocked", "mutedFrom", "mutedUntil"].contains($0.key) }
            .sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value == .null ? "nothing" : $0.value.text ?? CanonicalForm.text($0.value))" }
            .joined(separator: ", ")
    }
}
