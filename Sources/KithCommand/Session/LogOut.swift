import ArgumentParser
import Kith
import KithModel

extension SessionCommand {
    struct LogOut: SwitchingCommand {
        static let configuration = CommandConfiguration(
            commandName: "logout", abstract: "End the session, here and on the server.",
            discussion: """
                Its lists stay on this device. With --move they go to the store without an account, if the server can be \
                reached; other devices of the account lose them. Those that other people are in stay. With --drop they are \
                forgotten. Only a recovery code opens an anonymous account again after its session has ended. A server that cannot be \
                reached is notified at the next sync or sign-in.
                """)
        @Flag(help: "End all sessions of the account, those of your other devices too. This needs the server.")
        var everywhere = false
        @Flag() var choice: StoreChoice?
        @Flag(help: "Do not ask; keep its lists on this device.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            guard try await context.client.session.token() != nil,
                let store = try await context.client.accounts.store(try await context.client.shownScope()),
                let account = store.account
            else { throw Failure(.notSignedIn, "unauthorized", "There is no session to end.") }
            if everywhere { try await context.requireServer() }
            let warning =
                store.state == .anonymous
                ? " Only a recovery code opens an anonymous account again after its session has ended." : ""
            try context.console.confirm(
                "End \(everywhere ? "all sessions" : "the session") of \(store.called), with \(store.contents)?\(warning)",
                given: yes || choice != nil, or: StoreChoice.flags)
            // Asked before the session ends, because the server has to be notified of moved lists.
            let chosen = try context.settlement.choose(
                "Keep its data on this device, move its lists to the store without an account, or drop it?",
                on: Hiding(stores: [store], current: .userless, endsSessions: true), choice, yes: yes)
            let isMoved = chosen == .move ? try await move(store, of: account, context) : false
            let isElsewhere = await isElsewhere(store, context)
            let end = try await end(account, isMoved: isMoved, context)
            if !end.isServerTold { context.console.note(unreachedAdvice(isElsewhere, context).printable) }
            let left = try await context.client.accounts.store(store.scope).map { [$0] } ?? []
            let hiding = Hiding(stores: left, current: .userless)
            let done = hiding.stores.isEmpty && !isMoved ? nil : chosen == .move && !isMoved ? .keep : chosen
            let answer = try await SessionCommand.answer(context, token: nil, hiding, done)
            if chosen == .drop {
                try await context.settlement.drop(hiding, isLossSaid: choice == nil)
                // Dropping an empty store loses nothing that must be reported.
                if hiding.stores.isEmpty { try await context.wholeDevice().accounts.drop(store.scope) }
            } else if context.only == nil {
                try await context.settlement.settle(hiding, .keep)
            }
            return answer
        }

        /// Ends the session of the account, or all its sessions.
        private func end(
            _ account: AccountID, isMoved: Bool, _ context: CommandContext
        ) async throws -> Sessions.LogOut {
            let session = context.client.session
            do {
                return try await everywhere
                    ? session.logOutEverywhere(expecting: account) : session.logOut(expecting: account)
            } catch let error as KithError where isMoved {
                throw Failure(
                    ExitStatus(error.code), error.code.rawValue,
                    """
                    The lists are now in the store without an account, but the session did not end here. \(error.sentence)
                    """)
            }
        }

        /// Whether the named server is not the server of the store.
        private func isElsewhere(_ store: StoredAccount, _ context: CommandContext) async -> Bool {
            guard context.location.server != nil, context.location.server != store.address, !context.isOffline else {
                return false
            }
            do {
                try await within(CommandContext.answerTimeout) { _ = try await context.client.session.verify() }
                return false
            } catch {
                return (error as? KithError)?.code == .otherServer
            }
        }

        /// The sentence for a server that could not be notified.
        private func unreachedAdvice(_ isElsewhere: Bool, _ context: CommandContext) -> String {
            if isElsewhere {
                return """
                    The server at \(context.serverName) is another one, so it was not notified. The account's own server is \
                    notified at the next sync or sign-in there, and accepts the token until then.
                    """
            }
            return """
                The server could not be notified. It is notified at the next sync or sign-in, and accepts the token until then.
                """
        }

        /// Moves the lists while there is still a token with which their server can be notified.
        ///
        /// - Returns: Whether they were moved. If the server cannot be reached, they stay where they are.
        /// - Throws: ``Failure`` if there is no server to notify, or if the lists were moved but the server could not
        ///   be notified. The session continues then.
        private func move(
            _ store: StoredAccount, of account: AccountID, _ context: CommandContext
        ) async throws -> Bool {
            if !context.asksServer {
                throw Failure(
                    .offline, context.isOffline ? "offline" : "noServer",
                    """
                    Nothing was changed: the server has to be notified of the lists that move. Name it with --server or KITH_SERVER, \
                    without --offline; or leave the lists in the account, with --keep.
                    """)
            }
            let client = try context.client(of: account)
            do {
                // The move copies what is on the device, so the device must first have everything.
                try await within(CommandContext.answerTimeout) {
                    _ = try await client.session.verify()
                    try await client.syncNow()
                }
            } catch {
                let reason = Failure(error)?.sentence ?? "The server did not answer in time."
                context.console.note("The lists were not moved. \(reason)".printable)
                return false
            }
            try await ListMoving(context: context).move(from: store, to: .userless)
            do {
                try await within(CommandContext.answerTimeout) { try await client.syncNow() }
            } catch {
                let reason = Failure(error)?.sentence ?? "The server did not answer in time."
                throw Failure(
                    .offline, "offline",
                    """
                    The lists are now in the store without an account, but the server could not be notified. The session stays \
                    open for that: repeat kith session logout when the server can be reached. \(reason)
                    """)
            }
            return true
        }
    }
}
