public import KithModel

/// Selects a store: that of an account, or the userless store, whose rows were created without a session.
public enum AccountScope: Hashable, Sendable {
    /// The userless store.
    case userless
    /// The store of this account.
    case account(AccountID)

    /// The store of an account; the userless store without one.
    package init(_ account: AccountID?) { self = account.map(AccountScope.account) ?? .userless }
}

extension AccountScope: CustomStringConvertible {
    /// A description for messages to people.
    public var description: String {
        switch self {
        case .userless: "the store without an account"
        case .account(let id): "account \(id)"
        }
    }
}
