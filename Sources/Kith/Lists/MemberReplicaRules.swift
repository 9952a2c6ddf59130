import KithModel

/// A member is called by the name that the person has in the list, or in the profile.
struct MemberReplicaRules: ReplicaRules {
    let schema = Member.schema

    func title(of fields: Fields) -> String? { fields["name"]?.text ?? fields["profileName"]?.text }
}
