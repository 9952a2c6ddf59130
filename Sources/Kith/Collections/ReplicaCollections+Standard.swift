extension ReplicaCollections {
    /// Kith's own collections.
    package static let standard = ReplicaCollections(
        [
            ListReplicaRules(), ItemReplicaRules(), MemberReplicaRules(), MembershipReplicaRules(),
            ProfileReplicaRules(), ContactReplicaRules(), InvitationReplicaRules(),
        ],
        recorders: [ListRecorder.self, NetworkRecorder.self, InvitationRecorder.self],
        reported: [ReportedLists.self, ReportedNetwork.self, ReportedInvitations.self])
}
