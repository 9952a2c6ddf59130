import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin account`: what only the operator says of accounts.
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Delete an account, or say that it is a program's.",
        subcommands: [Bot.self, Delete.self])

    struct Bot: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say that an account is a program's: it is shown as a bot, not among people's network.")
        @OptionGroup var files: ServerFiles
        @Argument(help: "The account's id.", transform: accountID) var account: AccountID
        @Flag(name: .customLong("no-longer"), help: "It is a person's again.") var isOver = false

        func answer(_ office: Office) async throws -> Answer {
            try await AccountService(database: office.database).setBot(!isOver, account, at: Timestamp(.now))
            return office.told(account, ["isBot": .flag(!isOver)], isOver ? "is a person's again" : "is a program's")
        }
    }

    struct Delete: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account, for good.",
            discussion: """
                Its sessions end at once. Its place in lists and in others' networks goes soon after, by the running server; \
                a list of its own goes to somebody else in it, an editor first.
                """)
        @OptionGroup var files: ServerFiles
        @Argument(help: "The account's id.", transform: accountID) var account: AccountID
        @Flag(help: "Yes, for good.") var yes = false

        func answer(_ office: Office) async throws -> Answer {
            guard yes else {
                throw Failure(.usage, "unconfirmed", "Nothing was deleted. To delete the account for good, add --yes.")
            }
            try await AccountService(database: office.database).delete(account, at: Timestamp(.now))
            return office.told(account, ["isDeleted": true], "is deleted")
        }
    }
}

/// Reads an account's id.
private func accountID(_ text: String) throws -> AccountID {
    guard let id = AccountID(text) else {
        throw ValidationError("“\(text)” is not an account's id. `kith session` shows one's own.")
    }
    return id
}

extension Office {
    /// What became of an account.
    fileprivate func told(_ account: AccountID, _ facts: [String: JSON], _ words: String) -> Answer {
        Answer(.object(["account": .text(account.description)].merging(facts) { $1 })) { _ in ["\(account) \(words)."] }
    }
}
