import KithModel

/// The known accounts of identities, shared by all contacts of a book.
final class ContactMatches: Sendable {
    let accounts: [Identity: AccountID]

    init(accounts: [Identity: AccountID]) { self.accounts = accounts }

    /// No known account.
    static let none = ContactMatches(accounts: [:])

    /// The identities whose account differs from `other`.
    func difference(from other: ContactMatches) -> Set<Identity> {
        if self === other { return [] }
        return Set(accounts.keys.filter { accounts[$0] != other.accounts[$0] })
            .union(other.accounts.keys.filter { accounts[$0] == nil })
    }
}
