import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith session`: the session of this device.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Sign in, show or end the session, and export or delete the account.",
        subcommands: [
            Show.self, Register.self, Verify.self, Login.self, Issuers.self, Countries.self, Pair.self, Join.self,
            Devices.self, Revoke.self, Identities.self, Identify.self, Recovery.self, PasskeyCommand.self, New.self,
            Use.self, LogOut.self, Decide.self, Export.self, Delete.self,
        ], defaultSubcommand: Show.self)

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the session. (Also: kith session)")
        @Flag(help: "Also show the token. Anyone who has it can use the account.") var token = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let secret = token ? try await context.client.session.token() : nil
            if token && secret == nil {
                throw Failure(.notSignedIn, "unauthorized", "There is no session. Open one: kith session new")
            }
            return try await SessionCommand.answer(context, token: secret)
        }
    }

    struct New: SwitchingCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Open a new anonymous session.",
            discussion: """
                The data of the former account stays here: the command names it and asks what to do with it.
                """)
        @Flag() var choice: StoreChoice?
        @Flag(help: "Do not ask; keep it.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireShown("session new") {
                "To move its lists to the new account later: \($0.movingCommand)"
            }
            try await context.requireServer()
            let activation = try await context.console.progress("Opening") { try await context.client.session.open() }
            let hiding = Hiding(activation.hidden)
            let done = try await context.settlement.settle(hiding, choice, yes: yes)
            if done == .move { await context.syncBriefly() }
            return try await SessionCommand.answer(context, token: nil, hiding, done)
        }
    }

    struct Use: SwitchingCommand {
        static let configuration = CommandConfiguration(
            commandName: "use",
            abstract: "Take over a session by its token, or go back to an account of this device.",
            discussion: "The data of the former account stays here: the command names it and asks what to do with it.")
        @Argument(
            help: ArgumentHelp(
                """
                The token; - reads it from standard input, where no other user can see it. Or an account of this device: \
                see kith accounts.
                """, valueName: "token"))
        var token: String
        @Flag() var choice: StoreChoice?
        @Flag(help: "Do not ask; keep it.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireShown("session use") { "To go to that account: kith session use \($0.typed)" }
            let secret = (token == "-" ? readLine() ?? "" : token).trimmingCharacters(in: .whitespacesAndNewlines)
            let hiding: Hiding
            var movable: [SharedList] = []
            var isAnswering = true
            if let scope = try await known(secret, context) {
                if let store = try await context.client.accounts.store(scope), store.account != nil {
                    isAnswering = try await checkSession(of: store, context)
                }
                hiding = Hiding(try await context.client.session.select(scope))
            } else {
                try await context.requireServer()
                let activation = try await activate(secret, context)
                hiding = Hiding(activation.hidden)
                movable = activation.movable
            }
            let done = try await context.settlement.settle(hiding, choice, yes: yes)
            // A person waits for a short time only. Data that has not arrived by then comes with the next sync.
            if isAnswering, context.asksServer { await context.syncBriefly() }
            let account = try await context.client.session.account()
            let shape: Shape = [
                "account": account, "movable": movable.map { $0.shape() }, "hidden": hiding.stores.map(\.shape),
                "choice": done?.rawValue,
            ]
            let scope = account.map(AccountScope.account) ?? .userless
            let isSaid = movable.isEmpty || hiding.stores.contains { $0.scope == .userless }
            let hint =
                isSaid ? "" : " \(movable.count.things("list")) made without a session can be moved in: kith move-lists"
            return CommandAnswer(shape, "This device now shows \(scope).\(hint)")
        }

        /// Checks that a store of this device still has a session, before it is shown.
        ///
        /// - Returns: Whether its server has answered.
        /// - Throws: ``Failure`` if the session has ended. Only the store's known state has changed then.
        private func checkSession(of store: StoredAccount, _ context: CommandContext) async throws -> Bool {
            guard store.canSend else { throw Failure(.notSignedIn, "unauthorized", store.over()) }
            guard let server = context.location.server, !context.isOffline else { return false }
            // A pinned client does not replace a refused session by a new one.
            let other = try context.location.client(of: store.scope, at: server)
            do {
                try await context.console.progress("Asking") {
                    try await within(CommandContext.answerTimeout) { _ = try await other.session.verify() }
                }
                return true
            } catch let error as KithError where [.unauthorized, .accountClosed].contains(error.code) {
                // The round records it in the store.
                if !store.isCurrent { try? await within(CommandContext.answerTimeout) { try await other.syncNow() } }
                throw Failure(.notSignedIn, error.code.rawValue, store.over(because: error.code))
            } catch is KithError {
                return false
            } catch is TookTooLong {
                return false
            }
        }

        /// The store of this device that `text` names; nil if it is a token.
        ///
        /// - Throws: ``Failure`` if it is neither.
        private func known(_ text: String, _ context: CommandContext) async throws -> AccountScope? {
            if text.isEmpty { throw Failure.usage("There is no token. Nothing has changed.") }
            let stores = try await context.client.accounts.all()
            do {
                return try StoreReference(text: text).resolve(among: stores)
            } catch let failure as Failure where failure.code == "notFound" {
                if Self.isToken(text) { return nil }
                // A text that resembles a token is not shown on the screen.
                let name = text.count < 40 ? "account “\(text)”" : "such account"
                throw Failure.notFound(
                    "There is no \(name) on this device, and it is no token. Nothing has changed.",
                    candidates: failure.candidates)
            }
        }

        /// Whether a text can be a token: 256 bits in Base64url, or more.
        private static func isToken(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z0-9_\-]{43,}/) != nil }

        private func activate(_ token: String, _ context: CommandContext) async throws -> Sessions.Activation {
            do {
                return try await context.console.progress("Opening") {
                    try await context.client.session.activate(token: token)
                }
            } catch let error as KithError where error.code == .unauthorized {
                throw Failure(
                    .notSignedIn, error.code.rawValue, "The server does not accept this token. Nothing has changed.")
            } catch let error as KithError where error.code == .accountClosed {
                throw Failure(
                    .notSignedIn, error.code.rawValue, "The account of this token was deleted. Nothing has changed.")
            }
        }
    }
}

extension SessionCommand {
    /// The device's session, and the stores that were hidden.
    static func answer(
        _ context: CommandContext, token: String?, _ hiding: Hiding? = nil, _ choice: StoreChoice? = nil
    ) async throws -> CommandAnswer {
        let state = try await context.client.session.state()
        let sentence = try await context.sessionAdvice.sentence(on: state)
        let account = try await context.client.session.account()
        var shape: Shape = [
            "state": state.rawValue, "account": account, "server": context.location.server?.absoluteString,
            "token": token,
        ]
        let undecided = try await context.client.accounts.undecided()
        if let hiding { shape = shape + ["hidden": hiding.stores.map(\.shape), "choice": choice?.rawValue] }
        return CommandAnswer(shape) { _ in
            var lines = [sentence]
            if let account { lines.append("Account \(account)") }
            if let token { lines.append(token) }
            lines += undecided.map { "To decide about \($0.called), with \($0.contents): kith session decide" }
            return lines
        }
    }

    /// Gives this device the name that the user has asked for. If that fails, a note says so, because the sign-in is done.
    static func nameDevice(_ name: String?, of account: AccountID, _ context: CommandContext) async {
        guard let name else { return }
        do {
            try await context.client(of: account).session.nameDevice(name)
        } catch {
            let reason = Failure(error).map { " \($0.sentence)" } ?? ""
            context.console.note(
                "This device was not named.\(reason) To name it: kith session devices --name NAME".printable)
        }
    }
}
