extension Collections {
    /// Kith's own collections.
    package static let standard = Collections([
        ListRules(), ItemRules(), MemberRules(), MembershipRules(), ProfileRules(),
        ContactRules(connected: InvitationRow.scheduleConnected), InvitationRules(), ShareableRules(), ShareRules(),
        ClaimRules(), EventRules(), ReferralRules(), RewardRules(),
    ])
}
