import KithModel

extension RecordKey {
    /// The record of a person among another's contacts.
    static func contact(_ peer: AccountID, of account: AccountID) -> RecordKey {
        RecordKey(account.retyped(), peer.retyped())
    }
    /// What a person says of themselves.
    static func profile(of account: AccountID) -> RecordKey { RecordKey(account.retyped(), Profile.id) }
}
