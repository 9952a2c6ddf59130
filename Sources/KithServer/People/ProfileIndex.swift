import KithModel

/// The data that is stored in addition to the record of a profile: its directory words, whether discovery finds it, and
/// which of the account's pictures it shows.
enum ProfileIndex {
    /// Updates the data for a changed profile. Data that the change does not affect stays as it is.
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
