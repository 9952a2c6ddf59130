package import KithModel

/// The names that accounts show to everyone.
package enum ShownNames {
    /// The names of these accounts, without those that show none.
    package static func read(
        _ accounts: some Sequence<AccountID>, in transaction: any Transaction
    ) throws -> [AccountID: String] {
        let places = Dictionary(
            accounts.map { (RecordPlace.profile(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
        let records = try RecordRow.read(Set(places.keys), in: transaction)
        var names: [AccountID: String] = [:]
        for (place, account) in places {
            let shown = Profile.shown(records[place]?.state.fields ?? [:], toNetwork: false)
            names[account] = Profile(shown).fullName
        }
        return names
    }
}
