extension ReplicaCollections {
    /// Kith's own collections.
    package static let standard = ReplicaCollections(
        [
            ListReplicaRules(), ItemReplicaRules(), MemberReplicaRules(), MembershipReplicaRules(),
            ProfileReplicaRules(), ContactReplicaRules(), InvitationReplicaRules(),
            ShareableReplicaRules(), ShareReplicaRules(), ClaimReplicaRules(), SharingEventReplicaRules(),
            ReferralReplicaRules(), RewardReplicaRules(),
        ],
        recorders: [ListRecorder.self, NetworkRecorder.self, InvitationRecorder.self, SharingRecorder.self],
        reported: [ReportedLists.self, ReportedNetwork.self, ReportedInvitations.self, ReportedSharing.self])
}
