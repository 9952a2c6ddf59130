import Foundation
import KithModel

/// Checks one code in one transaction, and does what a right code is for.
struct CodeChecker {
    /// What the user has typed, without spaces.
    let code: String
    let id: CodeID
    let requester: Requester
    let server: ServerID
    let messages: MessageQueue
    let notices: AccountNotices
    let register: IdentityRegister
    let sms: SMSGuard
    let limits: CodeLimits
    let random: RandomBytes
    let now: Timestamp
    let transaction: any Transaction

    /// Checks the code.
    ///
    /// - Returns: What the code has proved, with the signals to send. A refusal is returned and not thrown if the check has to
    ///   be counted.
    /// - Throws: ``ServerError``.
    func check() throws -> Committed<Result<ProvedIdentity, CodeRefusal>> {
        guard var row = try CodeRow.find(id, session: requester.session, in: transaction), try isValid(row) else {
            throw CodeRefusal.unknown.error(at: now)
        }
        let isRepeated = row.state.isUsed
        if let refusal = CodeRefusal(try judge(&row)) { return try refuse(refusal, row) }
        if case .phone = row.identity { try sms.enter(id.retyped(), in: transaction) }
        let own = try newOwner(row)
        let owner = try register.owner(of: row.identity, in: transaction)
        let account = owner ?? own
        if account != own, row.replaces != nil { return try refuse(.otherAccount(row.identity), row) }
        let session = try opensSession(of: account, own: own) ? session(of: account) : nil
        // A repetition gives the answer again and has no further effect. If the identity was removed or has another owner
        // since, there is no such answer.
        let outcome = session?.hash ?? Secret.sha256(account.description)
        if isRepeated, owner == nil || row.outcome != outcome { return try refuse(.used, row) }
        var signals = Signals()
        if account == own, !isRepeated { signals = try add(row, to: account) }
        if case .browser = requester.origin, !isRepeated { signals.formUnion(try closeWaiting(of: row.account)) }
        if let session {
            let opened = try session.open(repeating: row.outcome, device: row.device, at: now, in: transaction)
            guard let opened else { return Committed(.failure(.closed)) }
            signals.formUnion(opened)
        }
        row.outcome = outcome
        try row.update(in: transaction)
        let proved = ProvedIdentity(account: account, identity: row.identity, token: session?.token, server: server)
        return Committed(.success(proved), signals: signals)
    }

    // MARK: - Judging

    /// Whether a code can be checked. A right code from a browser closes the session that has waited for it, so only a
    /// repetition needs no session: afterwards, the account may be somebody's who has requested another code.
    private func isValid(_ row: CodeRow) throws -> Bool {
        guard case .browser = requester.origin, !row.state.isUsed else { return true }
        try AccountLock.take([row.account], in: transaction)
        return try SessionTable.exists(requester.session, of: row.account, in: transaction)
    }

    /// Judges the code. Whether the check counts is noted in the row.
    private func judge(_ row: inout CodeRow) throws -> CodeState.Verdict {
        let subject = try messages.hash(of: row.identity, in: transaction)
        let entered = CodeRow.hash(code, for: requester.token)
        let verdict = row.state.check(
            isRight: Secret.areEqual(entered, row.hash), isRepeated: entered == row.wrong,
            triesOfIdentity: try CodeRow.tries(
                of: subject, since: now - limits.window, until: now + limits.lifetime, in: transaction),
            limits: limits, at: now)
        if case .wrong = verdict { row.wrong = entered }
        return verdict
    }

    private func refuse(
        _ refusal: CodeRefusal, _ row: CodeRow
    ) throws -> Committed<Result<ProvedIdentity, CodeRefusal>> {
        try row.update(in: transaction)
        return Committed(.failure(refusal))
    }

    // MARK: - Signing in

    /// The account that gets the identity of a code if no account has it.
    ///
    /// A page's account was chosen when the code was requested, so that a repeated check creates no second account. In a
    /// browser it is the account that has waited, because that one has used the share code. But it may be somebody else's, who
    /// has used the browser before and can use the account elsewhere. Then it is a new account, so that neither of them
    /// gets into the account of the other.
    private func newOwner(_ row: CodeRow) throws -> AccountID {
        switch requester.origin {
        case .session(let account): return account
        case .linkPage: return row.account
        case .browser:
            let isWaiting = try SessionTable.isOnlyAccess(requester.session, to: row.account, in: transaction)
            return isWaiting ? row.account : AccountID(at: now, random: random)
        }
    }

    /// Whether a right code opens a session of `account`, where `own` is the account without one.
    private func opensSession(of account: AccountID, own: AccountID) -> Bool {
        switch requester.origin {
        case .session: account != own
        case .linkPage: false
        case .browser: true
        }
    }

    private func session(of account: AccountID) throws -> RepeatableSession {
        try RepeatableSession(
            of: account, from: ["code", id.description, requester.token], random: random, in: transaction)
    }

    /// Adds the identity of a code to an account, and removes the one that it replaces.
    private func add(_ row: CodeRow, to account: AccountID) throws -> Signals {
        var signals = Signals(topics: [.identities])
        // A session has an account already.
        if requester.account == nil { try AccountTable.insertIfMissing(account, at: now, in: transaction) }
        try AccountKind.noteChange(of: account, in: transaction, &signals) {
            // Removed first, so that an account with the largest number of identities can change one.
            if let old = row.replaces, old != row.identity,
                try register.remove(old, of: account, in: transaction)
            {
                try notices.removed(old, from: requester.address.description, of: account, at: now, in: transaction)
            }
            if try register.owner(of: row.identity, in: transaction) == nil {
                try notices.added(
                    [.identity(row.identity)], from: requester.address.description, to: account, at: now,
                    in: transaction)
            }
            _ = try register.add(row.identity, to: account, in: transaction)
        }
        if let device = row.device {
            try SessionTable.setDevice(device, keepingOld: true, of: requester.session, in: transaction)
        }
        return signals
    }

    /// Closes the session of a browser that has waited for the code. Nothing else of its account ends, because the account may
    /// be in use elsewhere.
    private func closeWaiting(of account: AccountID) throws -> Signals {
        let closed = try SessionTable.delete(
            [SessionID(tokenHash: requester.session)], of: account, in: transaction)
        return Signals(closedSessions: closed, changedSessions: [account])
    }
}
