import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin identity`: the numbers and emails by which accounts can be found.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity", abstract: "Manage the numbers and emails by which accounts can be found.",
        subcommands: [Add.self, List.self, Find.self, Remove.self])

    struct Add: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Assign a number or an email to an account.")
        @OptionGroup var value: IdentityArgument
        @Option(help: ArgumentHelp("The account.", valueName: "id"), transform: AccountID.argument) var account:
            AccountID
        @Flag(help: "Take it from another account that has it.") var move = false
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let (identity, account, move) = (try value.identity(), account, move)
            let addition: IdentityRegister.Addition
            do {
                addition = try await admin.change { try $0.add(identity, to: account, moving: move, in: $1) }
            } catch let error as ServerError where error.code == .conflict {
                throw Failure(
                    .refused, "conflict",
                    "Another account has \(identity.shown). Repeat with --move to take it from there.")
            }
            let sentence =
                switch addition {
                case .added: "Account \(account) can be found by \(identity.shown)."
                case .moved: "\(identity.shown) was moved to account \(account)."
                case .present: "Account \(account) has \(identity.shown) already."
                }
            return CommandAnswer(
                ["identity": identity.text, "account": account, "result": "\(addition)"], sentence)
        }
    }

    struct List: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the numbers and emails of an account.")
        @Option(help: ArgumentHelp("The account.", valueName: "id"), transform: AccountID.argument) var account:
            AccountID
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let account = account
            let register = IdentityRegister(at: Timestamp(.now))
            let identities = try await admin.database.read { transaction in
                try AccountService.require(account, in: transaction)
                return try register.identities(of: account, in: transaction)
            }
            return CommandAnswer(["identities": identities.map(\.text)]) { _ in
                identities.isEmpty ? ["The account has neither number nor email."] : identities.map(\.shown)
            }
        }
    }

    struct Find: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "find", abstract: "Show the account behind a number or an email.")
        @OptionGroup var value: IdentityArgument
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let identities = try value.stored()
            let register = IdentityRegister(at: Timestamp(.now))
            let found = try await admin.database.read { transaction -> (Identity, AccountID)? in
                for identity in identities {
                    if let owner = try register.owner(of: identity, in: transaction) { return (identity, owner) }
                }
                return nil
            }
            guard let (identity, account) = found else { throw Failure.noAccount(identities) }
            return CommandAnswer(
                ["identity": identity.text, "account": account],
                "Account \(account) has \(identity.shown).")
        }
    }

    struct Remove: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a number or an email from its account.")
        @OptionGroup var value: IdentityArgument
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let identities = try value.stored()
            let removed = try await admin.change { register, transaction in
                try identities.first { try register.remove($0, in: transaction) }
            }
            guard let identity = removed else { throw Failure.noAccount(identities) }
            return CommandAnswer(["removed": identity.text], "Nobody can be found by \(identity.shown) any more.")
        }
    }
}

extension Failure {
    fileprivate static func noAccount(_ identities: [Identity]) -> Failure {
        .notFound("No account has \(identities.map(\.shown).joined(separator: " or ")).")
    }
}

extension AccountID {
    /// Reads an account's id from the command line.
    static func argument(_ text: String) throws -> AccountID {
        guard let id = AccountID(text) else {
            throw ValidationError(
                "“\(text)” is no account's id. Write the whole id, as “kith admin account list” shows it.")
        }
        return id
    }
}
