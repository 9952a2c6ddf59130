import KithModel

/// The known accounts of identities. All contacts of a book share it.
final class ContactMatches: Sendable {
    let accounts: [Identity: AccountID]

    init(accounts: [Identity: AccountID]) { self.accounts = accounts }

    /// No known account.
    static let none = ContactMatches(accounts: [:])

    /// The identities that have another account here than in `other`.
    func difference(from other: ContactMatches) -> Set<Identity> {
        if self === other { return [] }
        return Set(accounts.keys.filter { accounts[$0] != other.accounts[$0] })
            .union(other.accounts.keys.filter { accounts[$0] == nil })
    }
}
