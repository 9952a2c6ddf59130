package import KithModel

extension RecordKey {
    package static func contact(_ account: AccountID) -> RecordKey {
        RecordKey(.contacts, in: .own, account.retyped())
    }
    package static let profile = RecordKey(.profiles, in: .own, Profile.id)
}
