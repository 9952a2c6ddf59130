import ArgumentParser
import Foundation
import Kith
import KithModel

extension SessionCommand {
    /// `kith session devices`: the sessions of the account.
    struct Devices: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Show the devices that are signed in to the account.")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireServer()
            let sessions = try await context.console.progress("Asking") { try await context.client.signIn.sessions() }
            let ids = ShortIDs(sessions.map(\.id))
            return CommandAnswer(["sessions": sessions.map(\.shape)]) { colour in
                var table = Table(header: ["Device", "Since", "", "Id"])
                for session in sessions {
                    table.add([
                        Table.Cell(session.device ?? "(no name)"), Table.Cell(session.created.date.day, .faint),
                        session.isCurrent ? "this device" : "", Table.Cell(ids[session.id], .faint),
                    ])
                }
                return table.lines(colour: colour)
            }
        }
    }

    /// `kith session revoke`: closes another session.
    struct Revoke: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign another device out, such as a lost one.",
            discussion: "The device keeps what it has, and gets nothing new.")
        @Argument(
            help: ArgumentHelp("The id of its session, or the start of it: see kith session devices.", valueName: "id"))
        var session: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireServer()
            let sessions = try await context.client.signIn.sessions()
            let named = sessions.filter { $0.id.description.hasPrefix(session.lowercased()) }
            guard let one = named.first, named.count == 1 else {
                let reason = named.isEmpty ? "No session has the id “\(session)”." : "Several sessions begin so."
                throw Failure(.notFound, "notFound", "\(reason) See kith session devices.")
            }
            if one.isCurrent {
                throw Failure(.usage, "usage", "That is this device. To sign it out: kith session logout")
            }
            try await context.client.signIn.revoke(one.id)
            return CommandAnswer(["revoked": one.shape], "\(one.device ?? "The device") is signed out.")
        }
    }

    /// `kith session identities`: the numbers and emails of the account.
    struct Identities: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the numbers and emails of the account, or remove one.")
        @Option(help: ArgumentHelp("Remove this number or email from the account.", valueName: "identity"))
        var remove: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireServer()
            if let remove {
                guard
                    let identity = Identity(remove) ?? EmailAddress(remove).map(Identity.email)
                        ?? E164(remove).map(Identity.phone)
                else {
                    throw Failure(
                        .usage, "usage", "“\(remove)” is neither a number such as +436641234567 nor an email.")
                }
                try await context.client.signIn.remove(identity)
                return CommandAnswer(["removed": identity.text], "\(identity.shown) no longer belongs to this account.")
            }
            let identities = try await context.client.signIn.identities()
            let shapes: [Shape] = identities.map { ["identity": $0.identity.text, "since": $0.since.date] }
            return CommandAnswer(["identities": shapes]) { _ in
                identities.isEmpty
                    ? ["The account has neither number nor email. Add one: kith session register EMAIL"]
                    : identities.map(\.identity.shown)
            }
        }
    }
}

extension SessionEntry {
    /// The session for `--json`.
    fileprivate var shape: Shape {
        ["id": id, "device": device, "created": created.date, "isCurrent": isCurrent]
    }
}
