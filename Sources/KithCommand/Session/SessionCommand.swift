import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith session`: who this device is to the server.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Show, open, take over or end the session with the server; delete the account.",
        subcommands: [Show.self, New.self, Use.self, LogOut.self, DeleteAccount.self], defaultSubcommand: Show.self)

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Show the session. (Also: kith session)")
        @Flag(help: "Show the token too: whoever has it is you.") var token = false
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let secret = token ? try await desk.client.session.token() : nil
            if token && secret == nil {
                throw Failure(.notSignedIn, "unauthorized", "There is no session. Open one: kith session new")
            }
            return try await desk.sessionAnswer(token: secret)
        }
    }

    struct New: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Open a new anonymous session.",
            discussion: "The lists of an open session stay on this device, unseen, until its token is used again.")
        @Flag(help: "Do not ask when a session is open.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            try desk.requireServer()
            let state = try await desk.client.session.state()
            // To a session that the server has ended nobody could come back.
            let isOver = state == .inactive || state == .invalidToken
            if !isOver, try await desk.client.session.token() != nil {
                try desk.console.confirm(
                    "A session is open; without its token (kith session show --token) nobody can open it again. "
                        + "Open a new one?",
                    given: yes)
            }
            try await desk.console.progress("Opening") { _ = try await desk.client.session.open() }
            return try await desk.sessionAnswer(token: nil)
        }
    }

    struct Use: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take over a session by its token: this device then has the same lists.")
        @Argument(help: "The token; - reads it from standard input, where no other user can see it.")
        var token: String
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            try desk.requireServer()
            let secret = (token == "-" ? readLine() ?? "" : token).trimmingCharacters(in: .whitespacesAndNewlines)
            let activation = try await desk.console.progress("Opening") {
                try await desk.client.session.activate(token: secret)
            }
            // The four seconds in which a person waits; what is not here by then comes with the next sync.
            try? await within(Desk.patience) { try await desk.client.syncNow() }
            let movable = activation.movable
            let json = JSON.object([
                "account": .text(activation.account.description), "movable": .list(movable) { $0.json() },
            ])
            let hint =
                movable.isEmpty
                ? "" : " \(movable.count.things("list")) made without a session can be moved in: kith move-lists"
            return Answer(json, "This device now has the session of \(activation.account)." + hint)
        }
    }

    struct LogOut: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "logout", abstract: "End the session, here and on the server.",
            discussion: "An anonymous session cannot be opened again: its lists are lost for this device.")
        @Flag(help: "Do not ask.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let status = try await desk.client.status()
            guard try await desk.client.session.token() != nil else {
                throw Failure(.notSignedIn, "unauthorized", "There is no session to end.")
            }
            let waiting =
                status.waiting > 0 ? " \(status.waitingSentence) Until it is open again they are out of reach." : ""
            let warning =
                status.session == .anonymous
                ? " An anonymous session cannot be opened again without its token: kith session show --token." : ""
            try desk.console.confirm("End the session?" + warning + waiting, given: yes)
            do {
                try await desk.client.session.logOut()
            } catch let error as KithError where Ending(error.code) == .offline {
                desk.console.note("Logged out here. The server could not be told: it still accepts the token.")
            }
            return try await desk.sessionAnswer(token: nil)
        }
    }
}

extension SessionCommand {
    struct DeleteAccount: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete-account", abstract: "Delete the account on the server, for good, and its data here.",
            discussion: """
                A list of yours goes to somebody else who is in it, an editor first; one that only you are in goes with you, \
                so remove first what nobody is to keep. Your contacts no longer have you. Nothing of it can be brought back.
                """)
        @Flag(help: "Do not ask.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            do { try desk.requireServer() } catch let failure as Failure {
                throw Failure(failure.status, failure.code, "Nothing was deleted. \(failure.sentence)")
            }
            guard let account = try await desk.client.session.account() else {
                throw Failure(.notSignedIn, "unauthorized", "There is no session whose account could be deleted.")
            }
            try desk.console.confirm("Delete account \(account) for good?", given: yes)
            do {
                try await desk.console.progress("Deleting") { try await desk.client.session.deleteAccount() }
            } catch let error as KithError where Ending(error.code) == .offline {
                // Perhaps only the answer was lost: to repeat it does no harm.
                throw Failure(
                    .offline, error.code.rawValue,
                    "Nothing was deleted on this device, nor, as far as it knows, on the server. \(error.sentence)")
            }
            return Answer(
                .object(["deleted": .text(account.description)]), "The account is deleted, and its data on this device."
            )
        }
    }
}

extension Desk {
    fileprivate func sessionAnswer(token: String?) async throws -> Answer {
        let state = try await client.session.state()
        let account = try await client.session.account()
        return Answer(
            .object([
                "state": .text(state.rawValue), "account": .text(orNull: account?.description),
                "server": .text(orNull: place.server?.absoluteString), "token": .text(orNull: token),
            ])
        ) { _ in
            var lines = [state.sentence]
            if let account { lines.append("Account \(account)") }
            if let token { lines.append(token) }
            return lines
        }
    }
}
