import KithModel

/// The device's rules for invitations.
struct InvitationReplicaRules: ReplicaRules {
    let schema = Invitation.schema
    let isMany = true

    func title(of fields: Fields) -> String? {
        fields["name"]?.text ?? fields["peerName"]?.text ?? fields["recipient"]?.text.flatMap { Identity($0)?.shown }
    }

    func foreseen(_ fields: Fields, before: Fields) -> Fields { Invitation.foreseen(fields, before: before) }
}
