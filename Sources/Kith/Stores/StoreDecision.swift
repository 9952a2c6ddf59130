/// The user's decision about a store that a sign-in or a new session has hidden: see ``Accounts/decide(_:about:lists:)``.
public enum StoreDecision: String, Sendable, CaseIterable {
    /// Move its lists, with their unsent edits, to the current account, and its unsent invitations, requests to connect,
    /// blocks, mutes, shares and used codes. Its profile stays, because the current account has its own. So does what the
    /// server has of everything else: people, invitations, share links and rewards belong to their account.
    case move
    /// Keep it on this device. It is shown again when its account is selected.
    case keep
    /// Delete it from this device, including unsent edits.
    case drop
}
