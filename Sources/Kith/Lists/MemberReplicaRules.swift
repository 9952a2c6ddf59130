import KithModel

/// The rules for members. The title is the member's name in the list or, without one, in the profile.
struct MemberReplicaRules: ReplicaRules {
    let schema = Member.schema

    func title(of fields: Fields) -> String? { fields["name"]?.text ?? fields["profileName"]?.text }
}
