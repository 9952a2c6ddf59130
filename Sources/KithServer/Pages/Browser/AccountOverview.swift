package import KithModel

/// What the page of an account shows.
package struct AccountOverview: Hashable, Sendable {
    /// The name of the account's profile; nil if it has none.
    package var name: String?
    /// The sessions, oldest first.
    package var sessions: [SessionEntry] = []
    /// Whether the account has older sessions, too.
    package var hasMoreSessions = false
    /// The numbers and emails, and the identities at issuers.
    package var identities = OwnIdentityList(identities: [])
    /// The passkeys, oldest first.
    package var passkeys: [Passkey] = []
    /// Codes, people and rewards.
    package var sharing = SharingOverview()

    /// An account of which nothing is known.
    package init() {}
}
