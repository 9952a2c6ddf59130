import KithModel

extension RecordPlace {
    /// The record of a shareable of a person.
    static func shareable(_ id: ShareableID, of account: AccountID) -> RecordPlace {
        RecordPlace(account.retyped(), id.retyped())
    }

    /// The record of a share of a person.
    static func share(_ id: ShareID, of account: AccountID) -> RecordPlace {
        RecordPlace(account.retyped(), id.retyped())
    }

    /// The record of a code that a person has used.
    static func claim(_ id: ClaimID, of account: AccountID) -> RecordPlace {
        RecordPlace(account.retyped(), id.retyped())
    }

    /// The record of a friend that a person has brought.
    static func referral(_ id: ReferralID, of account: AccountID) -> RecordPlace {
        RecordPlace(account.retyped(), id.retyped())
    }

    /// The record of a reward of a person.
    static func reward(_ id: RewardID, of account: AccountID) -> RecordPlace {
        RecordPlace(account.retyped(), id.retyped())
    }
}
