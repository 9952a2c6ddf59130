import KithModel

extension ReplicaCollections {
    /// Kith's own collections.
    package static let standard = ReplicaCollections(
        [
            ListReplicaRules(),
            // No edit of an item changes what the server decides about an edit of another one.
            PlainReplicaRules(
                schema: ListItem.schema, content: .nothing, isMany: true, titles: ["title"],
                folding: FoldingRules(isOrderFree: true)),
            PlainReplicaRules(schema: Member.schema, content: .nothing, titles: ["name", "profileName"]),
            MembershipReplicaRules(), ProfileReplicaRules(), ContactReplicaRules(), InvitationReplicaRules(),
            ShareableReplicaRules(), ShareReplicaRules(), ClaimReplicaRules(), SharingEventReplicaRules(),
            PlainReplicaRules(schema: Referral.schema, content: .records, isMany: true, titles: ["friendName"]),
            PlainReplicaRules(schema: Reward.schema, content: .records, isMany: true, titles: ["title", "name"]),
        ],
        recorders: [ListRecorder.self, NetworkRecorder.self, InvitationRecorder.self, SharingRecorder.self],
        reported: [ReportedLists.self, ReportedNetwork.self, ReportedInvitations.self, ReportedSharing.self])
}
