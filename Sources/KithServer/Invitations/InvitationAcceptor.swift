import KithModel

/// Accepts an invitation: connects the two people, lets the invited one join the list, and writes the records of both.
/// Repeating it has no further effect.
struct InvitationAcceptor {
    let transaction: any Transaction
    let now: Timestamp
    let dependencies: InvitationDependencies

    /// How an account accepts an invitation.
    enum Way {
        /// By an answer in its record, which only the recipient's account has. A refusal is written into the record.
        case answer
        /// Without an answer of the recipient's account, because the two are connected, or have invited each other.
        case agreement
        /// By the link, which anyone may have.
        case link

        /// Whether the account has proved that it is the recipient.
        var isProved: Bool { self != .link }
    }

    /// Accepts the invitation of a row.
    ///
    /// - Parameters:
    ///   - row: The invitation.
    ///   - account: The account that accepts it.
    ///   - way: How it accepts the invitation.
    /// - Returns: What the account has joined, or why it could not.
    /// - Throws: ``ServerError`` if the database fails.
    func accept(
        _ row: InvitationRow, by account: AccountID, _ way: Way
    ) throws -> Committed<Result<InvitationAcceptance, InvitationRefusal>> {
        if row.account == account { return Committed(.failure(.yours)) }
        if row.state == .accepted {
            guard row.acceptedBy == account else { return Committed(.failure(.used)) }
            return Committed(.success(try acceptance(of: row, by: account)))
        }
        if row.state == .ended { return Committed(.failure(.used)) }
        var ledger = try ledger(of: row, for: account)
        if let refusal = try refusal(of: row, by: account, way, ledger) {
            guard way == .answer, refusal != .closed, let received = row.received else {
                return Committed(.failure(refusal))
            }
            ledger.set(
                ["answer": .null, "reason": .text(refusal.reason.rawValue)], of: .invitations, at: received)
            let signals = try ledger.write(in: transaction)
            return Committed(.failure(refusal), signals: signals)
        }
        return try carryOut(row, by: account, way, in: ledger)
    }

    private func ledger(of row: InvitationRow, for account: AccountID) throws -> Ledger {
        let sent = try RecordRow.read([row.sent], in: transaction)[row.sent]?.state.fields ?? [:]
        var needs = LedgerNeeds()
        needs.accounts.formUnion([row.account, account])
        needs.records.insert(row.sent)
        needs[ContactRules.Needs.self].contacts = [.contact(row.account, of: account)]
        if let received = row.received {
            needs.accounts.insert(received.feed.retyped())
            needs.records.insert(received)
        }
        if let list = Invitation.Purpose(sent)?.list {
            needs.changeRoles(of: account, in: list.retyped())
            needs[ListRules.Needs.self].countsLists = true
        }
        return try Ledger.open(needs, for: account, at: now, in: transaction)
    }

    private func refusal(
        of row: InvitationRow, by account: AccountID, _ way: Way, _ ledger: Ledger
    ) throws -> InvitationRefusal? {
        // Either account may have been deleted while this transaction waited.
        if ledger.feed(account.retyped())?.isClosed != false { return .closed }
        if ledger.feed(row.sent.feed)?.isClosed != false { return .used }
        guard let sent = ledger.live(row.sent)?.state, let invitation = Invitation(row.sent, sent),
            invitation.status != .cancelled
        else { return .used }
        if row.expires <= now { return .expired }
        let pair = ContactPair(account: account, peer: row.account)
        if ledger.live(pair.mine)?.state.isBlocked ?? false { return .blocked }
        // A block is not revealed.
        if ledger.live(pair.theirs)?.state.isBlocked ?? false { return .used }
        if invitation.purpose != .join, !ledger.canConnect(pair) { return .full }
        guard let list = invitation.purpose.list else { return nil }
        guard ledger.mayInvite(row.account, to: list) else { return .noList }
        guard ledger.role(of: account, in: list.retyped()) == nil else { return nil }
        if let removed = try RemovedTable.time(of: account, from: list, in: transaction),
            try !isInvited(account, way, by: row, invitation, after: removed)
        {
            return .removed
        }
        return ledger.fault(ofJoining: list.retyped(), by: account) == nil ? nil : .full
    }

    /// Whether the list's owner has invited the account itself, and not just somebody with the link, after a time. That lets
    /// in somebody who was removed from the list.
    private func isInvited(
        _ account: AccountID, _ way: Way, by row: InvitationRow, _ invitation: Invitation, after time: Timestamp
    ) throws -> Bool {
        guard let notified = invitation.notified, notified > time else { return false }
        return try way.isProved || IdentityRegister(at: now).owner(of: row.recipient, in: transaction) == account
    }

    private func carryOut(
        _ row: InvitationRow, by account: AccountID, _ way: Way, in ledger: Ledger
    ) throws -> Committed<Result<InvitationAcceptance, InvitationRefusal>> {
        var (row, ledger) = (row, ledger)
        guard let sent = ledger.live(row.sent)?.state, let invitation = Invitation(row.sent, sent) else {
            return Committed(.failure(.used))
        }
        let pair = ContactPair(account: account, peer: row.account)
        let isNews = invitation.purpose != .connect || !ledger.areConnected(pair)
        if invitation.purpose != .join { ledger.connect(pair) }
        if case .list(let list, let role) = invitation.purpose {
            let feed: FeedID = list.retyped()
            if ledger.role(of: account, in: feed).map({ $0 < role }) ?? true { ledger.join(account, feed, as: role) }
            _ = try RemovedTable.remove(account, of: list, in: transaction)
        }
        let joined = ledger.name(of: account)
        ledger.set(
            [
                "state": .text(Invitation.State.accepted.rawValue), "reason": .null, "detail": .null,
                "peer": .text(account.description), "peerName": .text(joined),
            ], of: .invitations, at: row.sent)
        // Somebody with the link may have accepted it instead of the account that was told of it.
        if let received = row.received, received.feed != account.retyped() {
            ledger.remove(received)
            row.told = nil
        }
        var fields = ledger.received(invitation, from: row.account, until: row.expires)
        // Somebody with a forwarded link must not learn whose email or number the invitation was sent to.
        let recipientAccount = try IdentityRegister(at: now).owner(of: row.recipient, in: transaction)
        if !way.isProved && recipientAccount != account { fields["recipient"] = nil }
        fields["state"] = .text(Invitation.State.accepted.rawValue)
        fields["answer"] = .text(Invitation.Answer.accept.rawValue)
        if row.told == nil { row.told = (account, InvitationID(at: now, random: dependencies.random)) }
        let received = RecordPlace(row.told?.record ?? row.id, of: account)
        (row.state, row.acceptedBy, row.step) = (.accepted, account, nil)
        try row.update(at: now, in: transaction)
        if isNews { try tellInviter(invitation, row, person: joined, ledger) }
        ledger.set(fields, of: .invitations, at: received)
        let signals = try ledger.write(in: transaction)
        return Committed(.success(try acceptance(of: row, by: account)), signals: signals)
    }

    /// Queues the message that somebody has joined, unless the inviter has switched it off or has no email.
    private func tellInviter(
        _ invitation: Invitation, _ row: InvitationRow, person name: String?, _ ledger: Ledger
    ) throws {
        let person = [name, invitation.name, row.recipient.shown].lazy.compactMap(MessageComposer.line).first ?? ""
        let profile = Profile(ledger.live(.profile(of: row.account))?.state.fields ?? [:])
        guard profile.isNotifiedOfJoins else { return }
        let identities = try IdentityRegister(at: now).identities(of: row.account, in: transaction)
        let email = identities.lazy.compactMap { if case .email(let address) = $0 { address } else { nil } }.first
        guard let email else { return }
        try dependencies.messages.add(
            OutgoingMessage(
                id: MessageID(at: now, random: dependencies.random), channel: .email, recipient: email.text,
                kind: .joined, languages: [profile.language].compactMap(\.self), values: ["person": person],
                canUnsubscribe: true), at: now, in: transaction)
    }

    private func acceptance(of row: InvitationRow, by account: AccountID) throws -> InvitationAcceptance {
        let sent = try RecordRow.read([row.sent], in: transaction)[row.sent]?.state.fields ?? [:]
        let list = Invitation.Purpose(sent)?.list
        let role = try list.flatMap { list in
            try transaction.query(
                "SELECT role FROM access WHERE account = ? AND feed = ?", [.id(account), .id(list)]
            ).first.flatMap { Role(rawValue: try $0.text(0)) }
        }
        return InvitationAcceptance(inviter: row.account, list: list, role: role)
    }
}
