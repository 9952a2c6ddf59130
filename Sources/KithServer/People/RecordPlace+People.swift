import KithModel

extension RecordPlace {
    /// The record of a person among another's contacts.
    static func contact(_ peer: AccountID, of account: AccountID) -> RecordPlace {
        RecordPlace(account.retyped(), peer.retyped())
    }
    /// What a person says of themselves.
    static func profile(of account: AccountID) -> RecordPlace { RecordPlace(account.retyped(), Profile.id) }
}
