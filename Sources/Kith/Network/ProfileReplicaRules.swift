import KithModel

/// The account's own profile.
struct ProfileReplicaRules: ReplicaRules {
    let schema = Profile.schema
}
