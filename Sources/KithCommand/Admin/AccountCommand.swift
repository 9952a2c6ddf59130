import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin account`: settings of accounts that only the operator can change.
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Show the accounts, delete one, or mark one as a bot.",
        subcommands: [List.self, Bot.self, Delete.self])

    struct List: ServerFilesCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the newest accounts.")
        @OptionGroup var files: ServerFiles
        @OptionGroup var listing: ListingOptions

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let (shown, hasMore) = try await listing.newest { try await admin.accounts.newest($0) }
            let shapes = shown.map { entry in
                [
                    "account": entry.account, "isBot": entry.isBot, "created": entry.created.date,
                    "identities": entry.identities,
                ] as Shape
            }
            return CommandAnswer(["accounts": shapes, "more": hasMore]) { colour in
                if shown.isEmpty { return ["There are no accounts."] }
                let table = Table(header: ["Account", "Created", "Kind", "Numbers and emails"], shown) { entry in
                    [
                        Table.Cell(entry.account.description), Table.Cell(entry.created.date.day),
                        Table.Cell(entry.isBot ? "bot" : ""), .number(entry.identities),
                    ]
                }
                return table.lines(colour: colour) + (hasMore ? ["There are more: --limit N"] : [])
            }
        }
    }

    struct Bot: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "bot",
            abstract: "Mark an account as a bot: it is shown as such, and not among people's contacts.")
        @OptionGroup var files: ServerFiles
        @Argument(help: "The account's id.", transform: AccountID.argument) var account: AccountID
        @Flag(name: .customLong("no-longer"), help: "Undo: the account is a person's again.") var isOver = false

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            try await admin.accounts.setBot(!isOver, account, at: Timestamp(.now))
            return admin.answer(
                account, ["isBot": !isOver], isOver ? "is marked as a person" : "is marked as a program")
        }
    }

    struct Delete: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete an account, for good.",
            discussion: """
                Its sessions end at once. Its place in lists and in others' networks goes soon after, by the running server; \
                a list of its own goes to somebody else in it, an editor first.
                """)
        @OptionGroup var files: ServerFiles
        @Argument(help: "The account's id.", transform: AccountID.argument) var account: AccountID
        @Flag(help: "Yes, for good.") var yes = false

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            guard yes else {
                throw Failure(.usage, "unconfirmed", "Nothing was deleted. To delete the account for good, add --yes.")
            }
            try await admin.accounts.delete(account, at: Timestamp(.now))
            return admin.answer(account, ["isDeleted": true], "is deleted")
        }
    }
}

extension AdminContext {
    /// The result for an account.
    fileprivate func answer(_ account: AccountID, _ facts: Shape, _ words: String) -> CommandAnswer {
        CommandAnswer(["account": account] + facts) { _ in ["\(account) \(words)."] }
    }
}
