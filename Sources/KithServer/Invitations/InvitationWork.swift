import Foundation
import KithModel

/// The work of the background job on invitations, one step per transaction: sends the messages, tells the recipients'
/// accounts, and carries out their answers.
///
/// The recipient's account is looked up and told in a separate step, after the inviter's record was written. So the
/// inviter cannot tell from any record or time whether the recipient has an account.
struct InvitationWork {
    let transaction: any Transaction
    let now: Timestamp
    let dependencies: InvitationDependencies

    /// Identities whose new accounts are told in one transaction.
    private static let newsPerStep: Int64 = 100

    /// Does the next step.
    ///
    /// - Parameter note: Gets the inviter's record of an invitation before its step is done.
    /// - Throws: ``ServerError``, for example if the step cannot be done.
    /// - Returns: The signals to send.
    func take(_ note: (RecordPlace) -> Void) throws -> Signals {
        let news = try IdentityNews.take(Self.newsPerStep, in: transaction)
        if !news.isEmpty {
            try InvitationRow.scheduleTelling(news, at: now, in: transaction)
            return Signals()
        }
        guard let row = try InvitationRow.next(at: now, in: transaction, note) else { return Signals() }
        switch row.step {
        case .send: return try send(row)
        case .tell, .connect: return try tellOrAccept(row)
        case .accept: return try accept(row)
        case .end: return try end(row)
        case .fail: return try noteUndelivered(row)
        case nil:
            try row.update(at: now, in: transaction)
            return Signals()
        }
    }

    /// Writes into the inviter's record that the last message did not reach its recipient.
    func fail(_ message: FailedMessage) throws -> Signals? {
        guard let row = try InvitationRow.find(message: message.id, in: transaction), row.state == .pending else {
            return nil
        }
        var ledger = try ledger(of: row)
        ledger.fail(row, message.failure)
        return try ledger.write(in: transaction)
    }

    /// Writes the same as ``fail(_:)``, of a message whose failure another process has stored.
    private func noteUndelivered(_ row: InvitationRow) throws -> Signals {
        var row = row
        // An account that has got the identity meanwhile was not told, because the row had this step.
        row.step = row.told == nil ? .tell : nil
        try row.update(at: now, in: transaction)
        guard row.state == .pending, let message = row.message,
            case .failed(let failure) = try dependencies.messages.state(of: message, in: transaction)
        else { return Signals() }
        var ledger = try ledger(of: row)
        ledger.fail(row, failure)
        return try ledger.write(in: transaction)
    }

    /// The inviter's record and profile, and the list.
    private func ledger(of row: InvitationRow, _ change: (inout LedgerNeeds) -> Void = { _ in }) throws -> Ledger {
        var needs = LedgerNeeds()
        needs.accounts.insert(row.account)
        needs.records.formUnion([row.sent, .profile(of: row.account)])
        if let received = row.received {
            needs.accounts.insert(received.feed.retyped())
            needs.records.insert(received)
        }
        if let list = try list(of: row) {
            needs.readPeople(of: list)
            needs.records.insert(.list(list))
        }
        change(&needs)
        return try Ledger.open(needs, for: nil, at: now, in: transaction)
    }

    private func list(of row: InvitationRow) throws -> FeedID? {
        let record = try RecordRow.read([row.sent], in: transaction)[row.sent]
        return record?.state.fields["list"]?.text.flatMap { FeedID($0) }
    }

    // MARK: - Sending

    private func send(_ row: InvitationRow) throws -> Signals {
        var row = row
        row.recipient = dependencies.canonical(row.recipient)
        var ledger = try ledger(of: row)
        guard let sent = ledger.live(row.sent)?.state, let invitation = Invitation(row.sent, sent) else {
            return try end(row)
        }
        row.step = nil
        guard row.state != .accepted else {
            try row.update(at: now, in: transaction)
            return Signals()
        }
        let recipientAccount = try IdentityRegister(at: now).owner(of: row.recipient, in: transaction)
        var failure = try refusal(of: invitation, row, to: recipientAccount, ledger)
        // If there is no other account, the same queries are made, so that the time reveals nothing.
        let pair = ContactPair(account: row.account, peer: recipientAccount ?? row.account)
        let isUnwanted = try row.isRefused(at: now) || pair.isBlocked(in: transaction)
        if failure == nil, invitation.delivery == .server {
            failure = try addMessage(invitation, &row, ledger, isWithheld: isUnwanted)
        }
        row.state = .pending
        row.expires = now + Limits.invitation
        if let failure {
            ledger.fail(row, failure)
            // An acceptance can have arrived since the order.
            if try isAccepted(row) { row.step = .accept }
        } else {
            row.step = .tell
            ledger.set(
                [
                    "state": .null, "reason": .null, "detail": .null, "notified": .integer(now.milliseconds),
                    "expires": .integer(row.expires.milliseconds),
                    "listName": .text(ledger.listName(invitation.purpose)),
                ], of: .invitations, at: row.sent)
        }
        let signals = try ledger.write(in: transaction)
        try row.update(at: now, in: transaction)
        return signals
    }

    /// The reason why an invitation is not sent; nil if it is. `account` is the recipient's account.
    private func refusal(
        of invitation: Invitation, _ row: InvitationRow, to account: AccountID?, _ ledger: Ledger
    ) throws -> MessageFailure? {
        if let list = invitation.purpose.list, !ledger.mayInvite(row.account, to: list) {
            return MessageFailure(.noList)
        }
        if account == row.account { return MessageFailure(.yourself) }
        if invitation.delivery == .server, case .phone(let number) = row.recipient, !dependencies.sendsSMS(number) {
            return MessageFailure(.unsupported)
        }
        if invitation.delivery == .server, try isRepeated(invitation, row) {
            return MessageFailure(.alreadyInvited)
        }
        let isWithinQuota = try Self.quota.take(by: row.account, in: row.network, at: now, in: transaction)
        return isWithinQuota ? nil : MessageFailure(.senderLimit)
    }

    /// Whether the inviter has an open invitation to the same recipient for the same purpose that was sent. Two devices can
    /// make one each while they have no network.
    private func isRepeated(_ invitation: Invitation, _ row: InvitationRow) throws -> Bool {
        try sentInvitations(of: row.others(at: now, in: transaction)).contains { $1.purpose == invitation.purpose }
    }

    /// The invitations of these rows that were sent and wait for an answer.
    private func sentInvitations(of rows: [InvitationRow]) throws -> [(row: InvitationRow, invitation: Invitation)] {
        let records = try RecordRow.read(Set(rows.map(\.sent)), in: transaction)
        return rows.compactMap { row in
            guard let state = records[row.sent]?.state, !state.isDeleted, let invitation = Invitation(row.sent, state),
                invitation.status == .pending, invitation.notified != nil
            else { return nil }
            return (row, invitation)
        }
    }

    private static let quota = SenderQuota(
        ofAccount: DailyQuota(kind: "invitation", noun: "invitations", limit: Limits.invitationsADay),
        ofNetwork: DailyQuota(
            kind: "invitationsOfNetwork", noun: "invitations", limit: Limits.invitationsOfNetworkADay))

    private func addMessage(
        _ invitation: Invitation, _ row: inout InvitationRow, _ ledger: Ledger, isWithheld: Bool
    ) throws -> MessageFailure? {
        let secret = dependencies.random.token()
        let id = MessageID(at: now, random: dependencies.random)
        let profile = ledger.live(.profile(of: row.account))?.state.fields ?? [:]
        let languages = [invitation.language, Profile(profile).language].compactMap(\.self)
        let state = try dependencies.messages.add(
            OutgoingMessage(
                id: id, channel: row.recipient.channel, recipient: row.recipient.shown, kind: .invitation,
                languages: languages,
                values: [
                    "inviter": MessageComposer.line(ledger.name(of: row.account))
                        ?? InvitationText.somebody(in: languages),
                    "list": MessageComposer.line(ledger.listName(invitation.purpose)) ?? "",
                    "text": invitation.text ?? "", "link": dependencies.link(secret),
                ], canUnsubscribe: true, sender: row.account, isWithheld: isWithheld), at: now, in: transaction)
        if case .failed(let failure) = state { return failure }
        try InvitationRow.addLinks([(row.sent, Secret.sha256(secret))], in: transaction)
        row.message = id
        return nil
    }

    // MARK: - Telling the recipient's account

    private func tellOrAccept(_ row: InvitationRow) throws -> Signals {
        var row = row
        // A new connection is no news about an invitation that was not sent yet, or that its recipient has seen.
        let isOnlyConnected = row.step == .connect
        row.step = nil
        if try isAccepted(row) { return try accept(row) }
        let sent = try RecordRow.read([row.sent], in: transaction)[row.sent]?.state
        let invitation = sent.flatMap { $0.isDeleted ? nil : Invitation(row.sent, $0) }
        let recipientAccount = try IdentityRegister(at: now).owner(of: row.recipient, in: transaction)
        // A repeated invitation reaches nobody.
        if row.state == .pending, row.expires > now, !row.isRefused(at: now),
            let recipientAccount, recipientAccount != row.account,
            let invitation, invitation.failure?.reason != .alreadyInvited,
            try !ContactPair(account: row.account, peer: recipientAccount).isBlocked(in: transaction)
        {
            if let accepted = try acceptAtOnce(invitation, row, by: recipientAccount) { return accepted }
            let isNews = !isOnlyConnected || (invitation.notified != nil && !row.isKnown(to: recipientAccount))
            if isNews { return try tell(recipientAccount, of: row) }
        }
        try row.update(at: now, in: transaction)
        return Signals()
    }

    /// Accepts an invitation to connect that was sent, without asking the recipient, if the two are connected, or if each
    /// has invited the other.
    ///
    /// The acceptance shows the inviter whose identity the recipient is. So the recipient has to be an account that discovery
    /// finds by its identities, which shows the same.
    ///
    /// - Returns: The signals to send; nil if the recipient has to answer.
    private func acceptAtOnce(
        _ invitation: Invitation, _ row: InvitationRow, by account: AccountID
    ) throws -> Signals? {
        let register = IdentityRegister(at: now)
        guard invitation.purpose == .connect, invitation.status == .pending, invitation.notified != nil,
            try !register.isHidden(account, in: transaction)
        else { return nil }
        let counterparts = try sentInvitations(
            of: InvitationRow.all(of: account, to: row.account, at: now, in: transaction)
        ).filter { $1.purpose == .connect }
        let pair = [RecordPlace.contact(row.account, of: account), .contact(account, of: row.account)]
        let contacts = try RecordRow.read(Set(pair), in: transaction)
        let areConnected = pair.allSatisfy { place in
            contacts[place].map { !$0.state.isDeleted && $0.state.relation == .connected } ?? false
        }
        guard areConnected || !counterparts.isEmpty else { return nil }
        var signals = Signals()
        var isDone = false
        if try !register.isHidden(row.account, in: transaction) {
            // One with other work is accepted by that work.
            for (other, _) in counterparts where !other.hasWork {
                guard let accepted = try agree(to: other, by: row.account) else { break }
                signals.formUnion(accepted)
                isDone = true
            }
        }
        if let accepted = try agree(to: row, by: account) {
            signals.formUnion(accepted)
            isDone = true
        }
        return isDone ? signals : nil
    }

    /// Accepts an invitation without an answer. Its message is not sent if it still waits, because there is nothing left
    /// to answer.
    ///
    /// - Returns: The signals to send; nil if it cannot be accepted.
    private func agree(to row: InvitationRow, by account: AccountID) throws -> Signals? {
        var row = row
        row.step = nil
        try row.update(at: now, in: transaction)
        let acceptor = InvitationAcceptor(transaction: transaction, now: now, dependencies: dependencies)
        let accepted = try acceptor.accept(row, by: account, .agreement)
        guard case .success = accepted.value else { return nil }
        if let message = row.message { try dependencies.messages.withdraw(message, in: transaction) }
        return accepted.signals
    }

    /// Writes the record of the recipient's account.
    private func tell(_ account: AccountID, of row: InvitationRow) throws -> Signals {
        var row = row
        row.step = nil
        let former = row.received
        if row.told?.account != account {
            row.told = (account, InvitationID(at: now, random: dependencies.random))
        }
        guard let place = row.received else { return Signals() }
        var ledger = try ledger(of: row) { needs in
            if let former {
                needs.accounts.insert(former.feed.retyped())
                needs.records.insert(former)
            }
        }
        let old = ledger.live(place)?.state
        guard let sent = ledger.live(row.sent)?.state, let invitation = Invitation(row.sent, sent) else {
            return try end(row)
        }
        if let former, former != place { ledger.remove(former) }
        // Too many invitations wait for the recipient. The inviter cannot tell.
        guard old != nil || (ledger.feed(place.feed)?.waiting ?? 0) < Limits.requests else {
            row.told = nil
            let signals = try ledger.write(in: transaction)
            try row.update(at: now, in: transaction)
            return signals
        }
        var fields = ledger.received(invitation, from: row.account, until: row.expires)
        // Writing the field would override an answer that a device has not sent yet.
        if let old, !old.isDeleted, old.fields["answer"] == nil { fields["answer"] = nil }
        ledger.set(fields, of: .invitations, at: place)
        let signals = try ledger.write(in: transaction)
        try row.update(at: now, in: transaction)
        return signals
    }

    // MARK: - Carrying out

    private func accept(_ row: InvitationRow) throws -> Signals {
        var row = row
        row.step = nil
        try row.update(at: now, in: transaction)
        guard row.state == .pending, let told = row.told, try isAccepted(row) else { return Signals() }
        let acceptor = InvitationAcceptor(transaction: transaction, now: now, dependencies: dependencies)
        return try acceptor.accept(row, by: told.account, .answer).signals
    }

    /// Whether the recipient's account has accepted the invitation, and that was not carried out.
    private func isAccepted(_ row: InvitationRow) throws -> Bool {
        guard let place = row.received, let received = try RecordRow.read([place], in: transaction)[place]?.state
        else { return false }
        return Invitation.answer(in: received.fields) == .accept
    }

    private func end(_ row: InvitationRow) throws -> Signals {
        var row = row
        if row.state == .pending, let message = row.message {
            try dependencies.messages.withdraw(message, in: transaction)
        }
        var ledger = try ledger(of: row)
        if row.state == .pending, let received = row.received { ledger.remove(received) }
        let signals = try ledger.write(in: transaction)
        // The records of a deleted account stay for a moment.
        guard ledger.live(row.sent) != nil, ledger.feed(row.sent.feed)?.isClosed == false else {
            try row.delete(in: transaction)
            return signals
        }
        try row.deleteLinks(in: transaction)
        row.step = nil
        if row.state == .pending { (row.state, row.told) = (.ended, nil) }
        try row.update(at: now, in: transaction)
        return signals
    }
}

extension Invitation {
    /// The invitation at a place; nil if this version cannot read it.
    init?(_ place: RecordPlace, _ state: RecordState) {
        self.init(id: place.record.retyped(), state.fields, modified: state.modified)
    }
}
