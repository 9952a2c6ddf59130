import KithModel

/// What the background job of sharing does in one transaction.
enum SharingStep: Sendable {
    /// Find out who has brought an account.
    case signUp(SignUps.SignUp)
    case order(SharingOrder)
    /// Decide about a held referral.
    case referral(ReferralRow)

    /// Whether something is due. `trusted` is as for ``next(at:trusted:in:_:)``.
    static func isWaiting(at now: Timestamp, trusted: Timestamp?, in transaction: any Transaction) throws -> Bool {
        if try SignUps.isWaiting(at: now, in: transaction) || SharingOrder.isWaiting(at: now, in: transaction) {
            return true
        }
        guard let trusted else { return false }
        return try ReferralRow.isWaiting(at: min(now, trusted), in: transaction)
    }

    /// What is due first; nil if nothing is. Sign-ups come first, because the codes that an account has used before are
    /// decided with them.
    ///
    /// - Parameters:
    ///   - now: The server's time.
    ///   - trusted: When the server's clock was last trusted; nil if it is not. Held referrals that are due later wait,
    ///     because their decision is final.
    ///   - transaction: The transaction, in which the row is locked.
    ///   - note: Gets the subject before the rest of its row is read, because a damaged row cannot be read.
    /// - Throws: ``ServerError``, for example if the row is damaged.
    /// - Returns: The step.
    static func next(
        at now: Timestamp, trusted: Timestamp?, in transaction: any Transaction, _ note: (SharingSubject) -> Void
    ) throws -> SharingStep? {
        func read(
            _ table: SharingSubject.Table, _ row: SQLRow, _ step: (SQLRow) throws -> SharingStep
        ) throws -> SharingStep {
            let subject = SharingSubject(table, row)
            note(subject)
            do { return try step(row) } catch is ServerError { throw subject.damage }
        }
        if let row = try SignUps.next(at: now, in: transaction) {
            return try read(.signUp, row) { .signUp(try SignUps.SignUp($0)) }
        }
        if let row = try SharingOrder.next(at: now, in: transaction) {
            return try read(.order, row) { .order(try SharingOrder($0)) }
        }
        guard let trusted, let row = try ReferralRow.next(at: min(now, trusted), in: transaction) else { return nil }
        return try read(.referral, row) { .referral(try ReferralRow($0)) }
    }
}
