import KithModel

extension RecordPlace {
    /// The record of an invitation among those of a person.
    static func invitation(_ invitation: InvitationID, of account: AccountID) -> RecordPlace {
        RecordPlace(account.retyped(), invitation.retyped())
    }
}
