extension Schema {
    /// Kith's own collections.
    package static let all: [Schema] = [
        SharedList.schema, ListItem.schema, Member.schema, Membership.schema, Profile.schema, NetworkContact.schema,
        Invitation.schema, Shareable.schema, Share.schema, Claim.schema, SharingEvent.schema, Referral.schema,
        Reward.schema,
    ]
}
