/// What the server can do for people, beyond the synchronisation of their records. The operations and the pages call it.
struct Features: Sendable {
    /// Opens, verifies and closes sessions.
    let sessions: SessionService
    /// Deletes accounts.
    let accounts: AccountService
    /// Proves numbers and emails by codes.
    let codes: CodeService
    let identities: IdentityService
    let passkeys: PasskeyService
    /// Signs in at OpenID Connect issuers.
    let issuers: IssuerService
    /// Signs in with recovery codes.
    let recovery: RecoveryService
    /// Adds devices by a QR code.
    let pairings: PairingService
    /// Finds people by their numbers and emails, without learning whom a device looks for.
    let discovery: DiscoveryService
    let invitations: InvitationService
    let sharing: SharingService
}
