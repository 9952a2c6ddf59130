import ArgumentParser
import Kith
import KithModel

extension SessionCommand {
    /// `kith session identities`: the numbers and emails of the account.
    struct Identities: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the numbers, emails and issuers that sign in to the account, or remove one.",
            discussion: "To change one: kith session register NEW --replace OLD")
        @Option(help: ArgumentHelp("Remove this number, email or issuer from the account.", valueName: "identity"))
        var remove: String?
        @Flag(
            help: "With --remove: even if it is the last way to sign in. Without one, a lost session is a lost account."
        )
        var last = false
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if last && remove == nil { throw ValidationError("--last goes with --remove.") }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireServer()
            let signIn = context.client.signIn
            let issuers = try await signIn.issuerIdentities()
            if let remove {
                if let own = issuers.first(where: { $0.name == remove || $0.issuer == remove }) {
                    try await removing(own.displayName) { try await signIn.remove(own.id, evenLast: last) }
                    return CommandAnswer(
                        ["removed": own.issuer], "\(own.displayName) no longer signs in to this account.")
                }
                let identity = try Identity.argument(remove)
                try await removing(identity.shown) { try await signIn.remove(identity, evenLast: last) }
                return CommandAnswer(["removed": identity.text], "\(identity.shown) no longer belongs to this account.")
            }
            let identities = try await signIn.identities()
            let shapes: [Shape] = identities.map { ["identity": $0.identity.text, "since": $0.since.date] }
            let others: [Shape] = issuers.map { ["issuer": $0.issuer, "name": $0.name, "since": $0.since.date] }
            return CommandAnswer(["identities": shapes, "issuers": others]) { _ in
                let all = identities.map(\.identity.shown) + issuers.map(\.displayName)
                return all.isEmpty
                    ? ["The account has neither number nor email. Add one: kith session register EMAIL"] : all
            }
        }

        /// Runs `body`, and says what to do if `name` is the last way to sign in.
        private func removing(_ name: String, _ body: () async throws -> Void) async throws {
            do {
                try await body()
            } catch KithError.Code.lastWayIn {
                throw Failure(
                    .refused, "lastWayIn",
                    """
                    Nothing was removed: \(name) is the last way to sign in to the account. Add another first \
                    (kith session register), or repeat the command with --last.
                    """)
            }
        }
    }

    /// `kith session identify`: names an email without proving it.
    struct Identify: EditCommand {
        static let configuration = CommandConfiguration(
            abstract: "Name an email for rewards, without proving that it is yours.",
            discussion: """
                It is stored in your profile, where nobody else sees it. Nobody can sign in or find you with it. To prove an \
                email: kith session register
                """)
        @Argument(help: "The email; an empty text removes it.") var email: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await context.client.signIn.identify(email: email.isEmpty ? nil : email)
            let account = try await context.client.session.account()
            let profile = try await context.client.network.profile()
            return CommandAnswer(
                profile.ownShape(account),
                profile.claimedEmail.map { "Your profile names \($0), for rewards alone." }
                    ?? "Your profile names no email for rewards.")
        }
    }
}

extension Identity {
    /// A number with its country's code, or an email, as it is typed.
    ///
    /// - Throws: ``Failure`` `usage` if the text is neither.
    static func argument(_ text: String) throws -> Identity {
        guard
            let identity = Identity(text) ?? EmailAddress(text).map(Identity.email)
                ?? E164(text.filter { !" -/().".contains($0) }).map(Identity.phone)
        else {
            throw Failure(.usage, "usage", "“\(text)” is neither a number such as +436641234567 nor an email.")
        }
        return identity
    }
}
