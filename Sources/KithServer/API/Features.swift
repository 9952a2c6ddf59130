/// The services of the server. The operations, the pages and the background jobs call them.
struct Features: Sendable {
    /// Performs the rounds of devices.
    let rounds: SyncService
    /// Opens, verifies and closes sessions.
    let sessions: SessionService
    /// Deletes accounts.
    let accounts: AccountService
    /// Proves numbers and emails by codes.
    let codes: CodeService
    /// Shows and removes the numbers and emails of an account.
    let identities: IdentityService
    /// Adds passkeys, and signs in with them.
    let passkeys: PasskeyService
    /// Signs in at OpenID Connect issuers.
    let issuers: IssuerService
    /// Signs in with recovery codes.
    let recovery: RecoveryService
    /// Adds devices by a QR code.
    let pairings: PairingService
    /// Finds people by their numbers and emails, without learning whom a device looks for.
    let discovery: DiscoveryService
    /// Previews and accepts invitations, and processes them in the background.
    let invitations: InvitationService
    /// Stores that people want no more messages of a kind.
    let unsubscribing: Unsubscribing
    /// Takes the reports of the SMS provider.
    let messageStatus: MessageStatus
    /// Processes shares, sign-ups and rewards in the background.
    let sharing: SharingService
}
