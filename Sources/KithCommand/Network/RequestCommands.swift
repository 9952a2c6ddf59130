import ArgumentParser
import Foundation
import Kith
import KithModel

extension NetworkCommand {
    enum Connect: PersonAction {
        static let abstract = "Ask someone to be connected; accept, if they have asked you."
        static func perform(_ network: Network, _ id: AccountID) async throws { try await network.connect(id) }
        static func sentence(_ name: String, _ contact: NetworkContact?) -> String {
            contact?.relation == .connected
                ? "You and \(name) are connected."
                : "Asked \(name.ended)"
                    + (contact?.notified == nil ? " They see your request when it has been sent." : "")
        }
    }

    enum Accept: PersonAction {
        static let abstract = "Accept a request."
        static func perform(_ network: Network, _ id: AccountID) async throws { try await network.accept(id) }
        static func sentence(_ name: String, _: NetworkContact?) -> String { "You and \(name) are connected." }
    }

    enum Decline: PersonAction {
        static let abstract = "Decline a request. The other does not see it."
        static func perform(_ network: Network, _ id: AccountID) async throws { try await network.decline(id) }
        static func sentence(_ name: String, _: NetworkContact?) -> String {
            "Declined \(name.ended) You can still accept: kith network accept"
        }
    }

    enum Cancel: PersonAction {
        static let abstract = "Take a request of yours back."
        static func perform(_ network: Network, _ id: AccountID) async throws { try await network.cancel(id) }
        static func sentence(_ name: String, _: NetworkContact?) -> String { "You no longer ask \(name.ended)" }
    }

    enum Resend: PersonAction {
        static let abstract = "Send a request of yours once more; at the earliest after an hour."
        static func perform(_ network: Network, _ id: AccountID) async throws { try await network.resend(id) }
        static func sentence(_ name: String, _: NetworkContact?) -> String { "Asked \(name) once more." }
    }

    enum Remove: PersonAction {
        static let abstract = "End a connection, for both."
        static func perform(_ network: Network, _ id: AccountID) async throws { try await network.remove(id) }
        static func sentence(_ name: String, _: NetworkContact?) -> String {
            "You and \(name) are no longer connected."
        }
        static func advice(_ id: AccountID) -> String? { "To ask again: kith network connect \(id.short)" }
    }

    enum Block: PersonAction {
        static let abstract = "Block someone, also a stranger. They cannot tell."
        static func perform(_ network: Network, _ id: AccountID) async throws { try await network.block(id) }
        static func sentence(_ name: String, _: NetworkContact?) -> String { "Blocked \(name.ended)" }
    }

    enum Unblock: PersonAction {
        static let abstract = "Unblock someone: they are what they were before."
        static func perform(_ network: Network, _ id: AccountID) async throws { try await network.unblock(id) }
        static func sentence(_ name: String, _: NetworkContact?) -> String { "Unblocked \(name.ended)" }
    }

    enum Unmute: PersonAction {
        static let abstract = "Unmute someone."
        static func perform(_ network: Network, _ id: AccountID) async throws { try await network.unmute(id) }
        static func sentence(_ name: String, _: NetworkContact?) -> String { "Unmuted \(name.ended)" }
    }

    struct Mute: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "mute",
            abstract: "Mute someone, until a time or until you unmute them.")
        @OptionGroup var target: PersonArgument
        @Option(help: "Until when, in your time: 2026-12-24T08:00.") var until: Moment?
        @Option(name: .customLong("for"), help: "For how long: 30m, 8h, 2d, 1w.") var span: Span?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if until != nil && span != nil { throw ValidationError("Say either --until or --for.") }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let end = until?.date ?? span.map { (Timestamp(Date()) + $0.duration).date }
            return try await target.answer(
                context, doing: { try await context.client.network.mute($0, until: end) }
            ) {
                name, _ in "Muted \(end.map { "\(name) until \($0.day)." } ?? name.ended)"
            }
        }
    }
}
