import KithModel

extension RecordKey {
    static func contact(_ account: AccountID) -> RecordKey {
        RecordKey(.contacts, in: nil, account.retyped())
    }
    static let profile = RecordKey(.profiles, in: nil, Profile.id)
}
