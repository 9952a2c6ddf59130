import KithModel

extension RecordKey {
    static func invitation(_ id: InvitationID) -> RecordKey { RecordKey(.invitations, in: nil, id.retyped()) }
}
