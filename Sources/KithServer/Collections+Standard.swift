extension Collections {
    /// Kith's own collections.
    package static let standard = Collections([
        ListRules(), ItemRules(), MemberRules(), MembershipRules(), ProfileRules(), ContactRules(),
        InvitationRules(), ShareableRules(), ShareRules(), ClaimRules(), EventRules(), ReferralRules(), RewardRules(),
    ])
}
