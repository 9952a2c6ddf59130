import ArgumentParser
import Foundation
import Kith
import KithModel

/// What one does about another person. Each is an edit: it works offline and is sent later.
extension NetworkCommand {
    struct Connect: EditCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask someone to be connected; accept, if they have asked you.")
        @OptionGroup var target: PersonArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            try await desk.client.network.connect(id)
            let isConnected = try await desk.client.network.contact(id)?.relation == .connected
            return try await desk.answer(about: id) {
                isConnected
                    ? "You and \($0) are connected." : "Asked \($0). They see your request when it has been sent."
            }
        }
    }

    struct Accept: EditCommand {
        static let configuration = CommandConfiguration(abstract: "Accept a request.")
        @OptionGroup var target: PersonArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            try await desk.client.network.accept(id)
            return try await desk.answer(about: id) { "You and \($0) are connected." }
        }
    }

    struct Decline: EditCommand {
        static let configuration = CommandConfiguration(abstract: "Decline a request. The other does not see it.")
        @OptionGroup var target: PersonArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            try await desk.client.network.decline(id)
            return try await desk.answer(about: id) { "Declined \($0). You can still accept: kith network accept" }
        }
    }

    struct Cancel: EditCommand {
        static let configuration = CommandConfiguration(abstract: "Take a request of yours back.")
        @OptionGroup var target: PersonArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            let name = try await desk.name(of: id)
            try await desk.client.network.cancel(id)
            return try await desk.answer(about: id) { _ in "You no longer ask \(name)." }
        }
    }

    struct Resend: EditCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a request of yours once more; at the earliest after an hour.")
        @OptionGroup var target: PersonArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            try await desk.client.network.resend(id)
            return try await desk.answer(about: id) { "Asked \($0) once more." }
        }
    }

    struct Remove: EditCommand {
        static let configuration = CommandConfiguration(abstract: "End a connection, for both.")
        @OptionGroup var target: PersonArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            let name = try await desk.name(of: id)
            try await desk.client.network.remove(id)
            return try await desk.answer(about: id) { _ in "You and \(name) are no longer connected." }
        }
    }

    struct Block: EditCommand {
        static let configuration = CommandConfiguration(abstract: "Block someone, also a stranger. They cannot tell.")
        @OptionGroup var target: PersonArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            try await desk.client.network.block(id)
            return try await desk.answer(about: id) { "Blocked \($0)." }
        }
    }

    struct Unblock: EditCommand {
        static let configuration = CommandConfiguration(abstract: "Unblock someone: they are what they were before.")
        @OptionGroup var target: PersonArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            let name = try await desk.name(of: id)
            try await desk.client.network.unblock(id)
            return try await desk.answer(about: id) { _ in "Unblocked \(name)." }
        }
    }

    struct Mute: EditCommand {
        static let configuration = CommandConfiguration(
            abstract: "Mute someone, until a time or until you unmute them.")
        @OptionGroup var target: PersonArgument
        @Option(help: "Until when, in your time: 2026-12-24T08:00.") var until: Moment?
        @Option(name: .customLong("for"), help: "For how long: 30m, 8h, 2d, 1w.") var span: Span?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if until != nil && span != nil { throw ValidationError("Say either --until or --for.") }
        }

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            let end = until?.date ?? span.map { (Timestamp(Date()) + $0.duration).date }
            try await desk.client.network.mute(id, until: end)
            return try await desk.answer(about: id) { "Muted \($0)\(end.map { " until \($0.day)" } ?? "")." }
        }
    }

    struct Unmute: EditCommand {
        static let configuration = CommandConfiguration(abstract: "Unmute someone.")
        @OptionGroup var target: PersonArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ desk: Desk) async throws -> Answer {
            let id = try await desk.account(target.person)
            let name = try await desk.name(of: id)
            try await desk.client.network.unmute(id)
            return try await desk.answer(about: id) { _ in "Unmuted \(name)." }
        }
    }
}
