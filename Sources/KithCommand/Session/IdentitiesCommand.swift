import ArgumentParser
import Kith
import KithModel

extension SessionCommand {
    /// `kith session identities`: the numbers, emails and issuers of the account.
    struct Identities: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "identities",
            abstract: "Show the numbers, emails and issuers that sign in to the account, or remove one.",
            discussion: "To replace a number or an email: kith session register NEW --replace OLD")
        @Option(help: ArgumentHelp("Remove this number, email or issuer from the account.", valueName: "identity"))
        var remove: String?
        @Flag(
            help: "With --remove: even the last way to sign in. The account is then lost with its last session."
        )
        var last = false
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if last && remove == nil { throw ValidationError("--last needs --remove.") }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
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
                    ? ["The account has no number, email or issuer. Add one: kith session register EMAIL"] : all
            }
        }

        /// Runs `body`. If `name` is the last way to sign in, the failure says what to do.
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

    /// `kith session identify`: stores an unproved email.
    struct Identify: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "identify",
            abstract: "Store an email as a note for the app, without proving that it is yours.",
            discussion: """
                It is stored in your profile, where nobody else sees it. Nobody can sign in or find you with it, and no reward \
                depends on it. To prove an email: kith session register
                """)
        @Argument(help: "The email; an empty text removes it.") var email: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await context.client.network.setClaimedEmail(email.isEmpty ? nil : email)
            let account = try await context.client.session.account()
            let profile = try await context.client.network.profile()
            return CommandAnswer(
                profile.ownShape(account),
                profile.claimedEmail.map { "Your unproved email is \($0)." }
                    ?? "Your profile has no unproved email.")
        }
    }
}

extension Identity {
    /// The number with a country code, or the email, in a text that the user has typed.
    ///
    /// - Throws: ``Failure`` `usage` if the text is neither.
    static func argument(_ text: String) throws -> Identity {
        guard
            let identity = Identity(text) ?? EmailAddress(text).map(Identity.email)
                ?? E164.typed(text).map(Identity.phone)
        else {
            throw Failure.usage("“\(text)” is neither a number such as +436641234567 nor an email.")
        }
        return identity
    }
}

extension E164 {
    /// The number with a country code in a text that the user has typed; nil if there is none.
    static func typed(_ text: String) -> E164? { E164(text.filter { !" -/().".contains($0) }) }
}
