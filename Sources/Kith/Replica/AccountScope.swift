public import KithModel

/// Whose rows: those of an account, or those made before any session existed.
public enum AccountScope: Hashable, Sendable {
    /// The userless store.
    case userless
    /// The store of this account.
    case account(AccountID)
}

extension AccountScope: CustomStringConvertible {
    /// For a sentence to people.
    public var description: String {
        switch self {
        case .userless: "the store without an account"
        case .account(let id): "account \(id)"
        }
    }
}
