import KithModel

/// What the background job of sharing does in one transaction.
enum SharingStep: Sendable {
    /// Find out who has brought an account.
    case signUp(SignUps.SignUp)
    case order(SharingOrder)
    /// Decide about a held referral.
    case referral(ReferralRow)

    /// Whether something is due.
    static func isWaiting(at now: Timestamp, in transaction: any Transaction) throws -> Bool {
        try SignUps.isWaiting(at: now, in: transaction) || SharingOrder.isWaiting(at: now, in: transaction)
            || ReferralRow.isWaiting(at: now, in: transaction)
    }

    /// What is due first; nil if nothing is. Sign-ups come first, because the codes that an account has used before are
    /// decided with them.
    static func next(at now: Timestamp, in transaction: any Transaction) throws -> SharingStep? {
        if let signUp = try SignUps.next(at: now, in: transaction) { return .signUp(signUp) }
        if let order = try SharingOrder.next(at: now, in: transaction) { return .order(order) }
        return try ReferralRow.next(at: now, in: transaction).map(SharingStep.referral)
    }

    /// Lets it wait, because it cannot be processed. If it is not due any more, another node has done it or lets it wait.
    func postpone(at now: Timestamp, in transaction: any Transaction) throws {
        switch self {
        case .signUp(let signUp):
            try SignUps.postpone(
                signUp.account, dueAt: now, until: now + SharingService.pause, in: transaction)
        case .order(let order): try order.postpone(at: now, in: transaction)
        case .referral(let row): try row.postpone(at: now, in: transaction)
        }
    }
}
