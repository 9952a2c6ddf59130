extension ReplicaCollections {
    /// Kith's own collections.
    package static let standard = ReplicaCollections(
        [
            ListReplicaRules(), ItemReplicaRules(), MemberReplicaRules(), MembershipReplicaRules(),
            ProfileReplicaRules(), ContactReplicaRules(),
        ],
        recorders: [ListRecorder.self, NetworkRecorder.self],
        reported: [ReportedLists.self, ReportedNetwork.self])
}
