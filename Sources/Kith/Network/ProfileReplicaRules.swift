import KithModel

/// Rules for the account's own profile.
struct ProfileReplicaRules: ReplicaRules {
    let schema = Profile.schema
}
