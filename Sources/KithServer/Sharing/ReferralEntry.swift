package import KithModel

/// A decision about the rewards for an event of a friend, as the operator sees it.
package struct ReferralEntry: Hashable, Sendable, Identifiable {
    package let id: ReferralRow.ID
    package let programme: String
    package let advocate: AccountID
    package let friend: AccountID
    /// The event: `joined`, or a name of the app.
    package let event: String
    /// How it is known that the advocate has brought the friend.
    package let basis: Referral.Basis
    package let channel: ShareChannel
    package let state: ReferralRow.State
    /// Why it is held or refused, and marks that decide nothing.
    package let reasons: [ReferralReason]
    package let occurred: Timestamp
    /// Until when it is or was held; nil if it never was.
    package let until: Timestamp?
    /// When it was granted or refused; nil if it is held.
    package let decided: Timestamp?
    /// Whether the operator has decided.
    package let isByOperator: Bool

    package init(
        id: ReferralRow.ID, programme: String, advocate: AccountID, friend: AccountID, event: String = "joined",
        basis: Referral.Basis = .code, channel: ShareChannel = .link, state: ReferralRow.State,
        reasons: [ReferralReason] = [], occurred: Timestamp, until: Timestamp? = nil, decided: Timestamp? = nil,
        isByOperator: Bool = false
    ) {
        (self.id, self.programme, self.advocate, self.friend) = (id, programme, advocate, friend)
        (self.event, self.basis, self.channel, self.state) = (event, basis, channel, state)
        (self.reasons, self.occurred, self.until, self.decided) = (reasons, occurred, until, decided)
        self.isByOperator = isByOperator
    }

    init(_ row: ReferralRow, basis: Referral.Basis, channel: ShareChannel) {
        self.init(
            id: row.id, programme: row.programme, advocate: row.advocate, friend: row.friend, event: row.event,
            basis: basis, channel: channel, state: row.state, reasons: row.reasons, occurred: row.occurred,
            until: row.until, decided: row.decided, isByOperator: row.isByOperator)
    }
}
