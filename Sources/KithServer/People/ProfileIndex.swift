import KithModel

/// What is kept of a profile beside its record: the words by which the directory finds it, whether discovery does, and
/// which of the account's pictures it shows.
enum ProfileIndex {
    /// Brings it up to date with a profile that has changed. What the change does not touch is left alone.
    static func update(
        _ account: AccountID, from old: Fields, to new: Fields, at now: Timestamp, in transaction: any Transaction
    ) throws {
        if DirectoryName(listed: old) != DirectoryName(listed: new) {
            try Directory.update(account, new, in: transaction)
        }
        let isDiscoverable = Profile(new).isDiscoverable
        if Profile(old).isDiscoverable != isDiscoverable {
            try IdentityRegister(at: now).set(isFound: isDiscoverable, account, in: transaction)
        }
        if Pictures.named(in: old) != Pictures.named(in: new) {
            try Pictures.note(new, of: account, in: transaction)
        }
    }
}
