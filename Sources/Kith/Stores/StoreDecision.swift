/// What becomes of a store that a sign-in has hidden. The user decides: see ``Accounts/decide(_:about:lists:)``.
public enum StoreDecision: String, Sendable, CaseIterable {
    /// Its lists, with their unsent edits, move to the account that is shown, and so do its unsent invitations, requests
    /// to connect, blocks and mutes. Its profile stays, because the account that is shown has its own.
    case move
    /// It stays behind its account, and is shown again when the account is.
    case keep
    /// It is deleted from this device, including unsent edits.
    case drop
}
