import ArgumentParser
import Kith
package import KithModel

extension SessionCommand {
    /// `kith session devices`: the sessions of the account.
    struct Devices: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "devices",
            abstract: "Show the devices that are signed in to the account.",
            discussion: "“Last used” is stored in whole hours, rounded down.")
        @Option(help: ArgumentHelp("Set the name of this device; an empty text removes it.", valueName: "name"))
        var name: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            if let name { try await context.client.session.nameDevice(name.isEmpty ? nil : name) }
            let sessions = try await context.client.session.all()
            let ids = ShortIDs(sessions.map(\.id))
            return CommandAnswer(["sessions": sessions.map(\.shape)]) { colour in
                return Table(header: ["Device", "Since", "Last used", "", "Id"], sessions) { session in
                    [
                        Table.Cell(session.device ?? "(no name)"), Table.Cell(session.created.date.day, .faint),
                        Table.Cell(session.lastKnownUse?.date.day ?? "", .faint),
                        session.isCurrent ? "this device" : "", Table.Cell(ids[session.id], .faint),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    /// `kith session revoke`: closes another session.
    struct Revoke: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Close the session of another device, such as a lost one.",
            discussion: "The device keeps what it has, and gets nothing new.")
        @Argument(
            help: ArgumentHelp("The id of its session, or the start of it: see kith session devices.", valueName: "id"))
        var session: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let sessions = try await context.client.session.all()
            let one = try Reference(session).find(in: sessions, kind: "session", listedBy: "kith session devices") {
                Nameable(id: $1.id, name: nil)
            }
            if one.isCurrent {
                throw Failure.usage("That is this device. To log out: kith session logout")
            }
            try await context.client.session.revoke(one.id)
            return CommandAnswer(["revoked": one.shape], "The session of \(one.device ?? "the device") is closed.")
        }
    }
}

extension SessionEntry {
    /// When the session was last used, as far as the server says: it stores whole hours, rounded down, but a session was
    /// also used when it began.
    package var lastKnownUse: Timestamp? { lastUsed.map { max($0, created) } }

    /// The session for `--json`.
    fileprivate var shape: Shape {
        ["id": id, "device": device, "created": created.date, "lastUsed": lastUsed?.date, "isCurrent": isCurrent]
    }
}
