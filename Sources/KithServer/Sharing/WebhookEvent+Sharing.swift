import KithModel

extension WebhookEvent.Content {
    /// What a share reports.
    init(_ row: ShareRow) {
        self.init(
            programme: row.programme, channel: row.channel.rawValue, share: row.id.description,
            advocate: row.account.description)
    }

    /// What a sign-up reports of which it is known who has brought it.
    init(_ row: AttributionRow) {
        self.init(
            programme: row.programme, channel: row.channel.rawValue, basis: row.basis.rawValue,
            advocate: row.advocate.description, friend: row.account.description)
    }

    /// What a decision about rewards reports.
    init(_ row: ReferralRow, channel: ShareChannel?, rewards: [WebhookEvent.Reward]) {
        self.init(
            programme: row.programme, channel: channel?.rawValue, referral: row.id.description, event: row.event,
            advocate: row.advocate.description, friend: row.friend.description,
            reasons: row.reasons.map(\.rawValue),
            until: row.state == .held ? row.until?.internetTime : nil,
            isByOperator: row.isByOperator, rewards: row.state == .granted ? rewards : nil)
    }
}

extension WebhookEvent.Reward {
    /// A reward with its name in the operator's own systems.
    init(_ row: RewardRow, named name: String) {
        self.init(
            id: row.record.description, side: row.side.rawValue, account: row.account.description, name: name)
    }
}

extension WebhookEvent.Kind {
    /// The kind that reports a decision about rewards.
    init(_ state: ReferralRow.State) {
        self =
            switch state {
            case .held: .held
            case .granted: .granted
            case .refused: .refused
            }
    }
}
