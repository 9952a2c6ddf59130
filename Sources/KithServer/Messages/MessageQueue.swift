import Foundation
package import KithModel

/// Messages on their way out: the table `message`.
///
/// A message is added in the caller's transaction, so it is stored if and only if the change that it reports is stored. ``DeliveryService`` delivers it after the commit. The content is deleted as soon as the message was sent or
/// has failed, because it may hold a code.
package struct MessageQueue: Sendable {
    private let composer: MessageComposer
    private let limits: MessageLimits
    /// The public address of the server.
    private let address: @Sendable () -> String
    private let sms: SMSGuard?
    private let random: RandomBytes
    private let ring: @Sendable () -> Void

    /// A queue.
    ///
    /// - Parameters:
    ///   - composer: Composes each message when it is added.
    ///   - limits: The limits of messages per day.
    ///   - address: The public address of the server, for links to unsubscribe.
    ///   - sms: Decides which SMS go out; nil if all do, because they are written to files or kept in memory.
    ///   - random: The source of random bytes.
    ///   - ring: Wakes the delivery.
    package init(
        composer: MessageComposer, limits: MessageLimits = MessageLimits(), address: @escaping @Sendable () -> String,
        sms: SMSGuard? = nil, random: RandomBytes = .system,
        ring: @escaping @Sendable () -> Void = {}
    ) {
        self.composer = composer
        self.limits = limits
        self.address = address
        self.sms = sms
        self.random = random
        self.ring = ring
    }

    /// Wakes the delivery. Call it after the commit of a transaction that added messages; otherwise they go out within
    /// ``DeliveryService/interval``.
    package func wake() { ring() }

    // MARK: - Adding

    /// Composes and stores a message.
    ///
    /// A message with a known id changes nothing. A message that may not go out is stored as failed, without its content,
    /// and does not count towards the limits.
    ///
    /// - Returns: The state of the message. `failed` says why it does not go out: the recipient is no address or has
    ///   unsubscribed, or a limit of ``MessageLimits`` is reached.
    /// - Throws: ``ServerError`` if the message cannot be composed from its values.
    @discardableResult
    package func add(
        _ message: OutgoingMessage, at now: Timestamp, in transaction: any Transaction
    ) throws -> MessageState {
        if let known = try state(of: message.id, in: transaction) { return known }
        let draft = try draft(of: message, in: transaction)
        if let failure = try refusal(of: draft, at: now, in: transaction) {
            return try store(draft, .failed(failure), at: now, in: transaction)
        }
        try count(draft, at: now, in: transaction)
        return try store(draft, message.isWithheld ? .sent : .queued, at: now, in: transaction)
    }

    /// A composed message, before it is decided whether it goes out.
    private struct Draft {
        let message: OutgoingMessage
        let composed: MessageComposer.Composed
        /// The recipient in canonical form; nil if the channel cannot deliver to it.
        let recipient: String?
        /// The keyed hash under which the recipient unsubscribes.
        let hash: Data
        /// The keyed hash under which the limits count the recipient.
        let counted: Data
        /// The link to unsubscribe; nil if the recipient cannot.
        let unsubscribe: String?

        /// The number that gets an SMS, and the parts of the SMS; nil for an email.
        var sms: (number: E164, parts: Int)? {
            guard message.channel == .sms, let number = recipient.flatMap({ E164($0) }) else { return nil }
            return (number, SMSText(composed.text).parts)
        }
    }

    private func draft(of message: OutgoingMessage, in transaction: any Transaction) throws -> Draft {
        let recipient = Self.canonical(message.recipient, message.channel)
        let secret = try MessageSecret(in: transaction, random: random)
        let hash = secret.hash(of: recipient ?? message.recipient, message.channel)
        let unsubscribe =
            message.canUnsubscribe ? "\(address())/unsubscribe/\(secret.token(for: hash, message.kind))" : nil
        return Draft(
            message: message, composed: try composer.compose(message, unsubscribe: unsubscribe), recipient: recipient,
            hash: hash, counted: secret.limitHash(of: recipient ?? message.recipient, for: message),
            unsubscribe: unsubscribe)
    }

    /// Why a message may not go out; nil if it may.
    private func refusal(
        of draft: Draft, at now: Timestamp, in transaction: any Transaction
    ) throws -> MessageFailure? {
        let message = draft.message
        guard draft.recipient != nil else { return MessageFailure(.badRecipient) }
        if message.canUnsubscribe, try Suppression.contains(draft.hash, message.kind, in: transaction) {
            return MessageFailure(.optedOut)
        }
        let earlier = try MessageTable(transaction).count(
            to: draft.counted, canUnsubscribe: message.canUnsubscribe, since: now - .days(1),
            until: now + MessageKind.code.lifetime)
        if earlier >= limits.toRecipient(of: message) { return MessageFailure(.recipientLimit) }
        let isAsked = !message.canUnsubscribe
        if let (number, parts) = draft.sms,
            let refusal = try sms?.refusal(of: number, parts: parts, isAsked: isAsked, at: now, in: transaction)
        {
            return MessageFailure(of: refusal)
        }
        for (quota, subject, reason) in quotas(of: message)
        where try quota.allowance(of: subject, isAsked: isAsked, at: now, in: transaction).left < 1 {
            return MessageFailure(reason)
        }
        return nil
    }

    /// Counts a message that goes out towards the quotas, of which all have something left.
    private func count(_ draft: Draft, at now: Timestamp, in transaction: any Transaction) throws {
        let message = draft.message
        for (quota, subject, _) in quotas(of: message) {
            try quota.take(by: subject, at: now, in: transaction)
        }
        if let (number, parts) = draft.sms {
            try sms?.note(
                message.id.retyped(), to: number, parts: parts, isCode: message.kind == .code, at: now,
                in: transaction)
        }
    }

    private func store(
        _ draft: Draft, _ state: MessageState, at now: Timestamp, in transaction: any Transaction
    ) throws -> MessageState {
        let (message, composed) = (draft.message, draft.composed)
        let stored = StoredMessage(
            id: message.id, channel: message.channel, kind: message.kind, language: composed.language,
            recipient: draft.recipient ?? "", subject: composed.subject, text: composed.text, html: composed.html,
            unsubscribe: draft.unsubscribe, created: now, expires: now + message.kind.lifetime)
        try MessageTable(transaction).insert(stored, recipient: draft.counted, sender: message.sender, state)
        return state
    }

    /// The state of a message; nil if it is unknown, or was sent or failed longer than ``MessageLimits/kept`` ago.
    package func state(of id: MessageID, in transaction: any Transaction) throws -> MessageState? {
        try MessageTable(transaction).state(of: id)
    }

    /// The recipient in canonical form; nil if the channel cannot deliver to it.
    private static func canonical(_ recipient: String, _ channel: OutgoingMessage.Channel) -> String? {
        switch channel {
        case .sms: return E164(recipient)?.text
        case .email:
            // An address with other characters needs SMTPUTF8 (RFC 6531), which many relays lack.
            guard let address = EmailAddress(recipient), address.text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
            return address.text
        }
    }

    private func quotas(
        of message: OutgoingMessage
    ) -> [(quota: DailyQuota, subject: DailyQuota.Subject, reason: MessageFailure.Reason)] {
        let all = DailyQuota(kind: "messages", noun: "messages", limit: limits.inAll, hasReserve: true)
        guard let sender = message.sender else { return [(all, .everybody, .budget)] }
        let own = DailyQuota(kind: "messagesOfSender", noun: "messages", limit: limits.ofSender)
        return [(own, .account(sender), .senderLimit), (all, .everybody, .budget)]
    }

    /// The keyed hash under which limits count an identity.
    func hash(of identity: Identity, in transaction: any Transaction) throws -> Data {
        try MessageSecret(in: transaction, random: random).hash(of: identity.shown, identity.channel)
    }

    /// The keyed hash under which limits count a network.
    func hash(of network: ClientNetwork, in transaction: any Transaction) throws -> NetworkHash {
        try MessageSecret(in: transaction, random: random).hash(of: network)
    }

    // MARK: - Delivering

    /// Takes the message that is due next, or the next urgent one, and leases it to one worker.
    ///
    /// - Returns: The message; nil if none is due.
    package func take(
        _ channel: OutgoingMessage.Channel, isUrgent: Bool = false, lease: DeliveryLease, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> StoredMessage? {
        var message = try MessageTable(transaction).take(channel, isUrgent: isUrgent, lease: lease, at: now)
        if let id = message?.id {
            message?.bounceToken = try MessageSecret(in: transaction, random: random).bounceToken(of: id)
        }
        return message
    }

    /// Whether a message is due, or an urgent one.
    package func isDue(
        _ channel: OutgoingMessage.Channel, isUrgent: Bool = false, at now: Timestamp, in transaction: any Transaction
    ) throws -> Bool {
        try MessageTable(transaction).isDue(channel, isUrgent: isUrgent, at: now)
    }

    /// Lets a lease end later, unless it has ended and the message is another worker's.
    func prolong(
        _ lease: DeliveryLease, of id: MessageID, until end: Timestamp, in transaction: any Transaction
    ) throws {
        try MessageTable(transaction).prolong(lease, of: id, until: end)
    }

    /// Stores how an attempt ended.
    ///
    /// - Returns: The step that was taken, and the message if it has failed by it. nil if the lease has ended and the
    ///   message may be another worker's: that one decides.
    package func settle(
        _ message: StoredMessage, _ outcome: GatewayOutcome, lease: DeliveryLease, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> (step: DeliveryRules.Step, failed: FailedMessage?)? {
        let table = MessageTable(transaction)
        guard try table.isLeased(message.id, lease) else { return nil }
        let step = DeliveryRules.step(after: outcome, attempts: message.attempts, left: message.expires - now)
        switch step {
        case .sent:
            try table.end(message.id, .sent)
            return (step, nil)
        case .retry(let pause, let detail):
            try table.postpone(message.id, until: now + pause, MessageFailure.line(detail))
            return (step, nil)
        case .failed(let failure):
            return (step, try fail(message.id, failure, in: transaction))
        }
    }

    /// Stores that a message does not reach its recipient. A message that has failed already, or is unknown, stays as it
    /// is.
    ///
    /// - Returns: The message, for ``FailureReports``; nil if it stays as it is.
    package func fail(
        _ id: MessageID, _ failure: MessageFailure, in transaction: any Transaction
    ) throws -> FailedMessage? {
        let table = MessageTable(transaction)
        guard let known = try table.origin(of: id), try table.end(id, .failed(failure)) else { return nil }
        return FailedMessage(id: id, kind: known.kind, sender: known.sender, failure: failure)
    }

    /// Stops a message that waits, because its sender does not want it to be sent any more. Nothing is reported.
    ///
    /// A message that was handed to the gateway before may have reached its recipient.
    package func withdraw(_ id: MessageID, in transaction: any Transaction) throws {
        guard try state(of: id, in: transaction) == .queued else { return }
        try MessageTable(transaction).end(id, .failed(MessageFailure(.withdrawn)))
    }

    // MARK: - Forgetting

    /// Deletes the messages of a deleted account that were never attempted, and what the others say about it and their
    /// recipients. None is attempted again.
    ///
    /// The others still count towards the limits of their recipients, because otherwise somebody could reset these by
    /// deleting an account.
    package static func remove(of account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute(
            "DELETE FROM message WHERE sender = ? AND state = 'queued' AND attempts = 0", [.id(account)])
        try transaction.execute(
            """
            UPDATE message SET sender = NULL, recipient = '', subject = NULL, body = NULL, html = NULL,
                unsubscribe = NULL, lease = NULL, leased_until = 0, detail = NULL,
                state = CASE WHEN state = 'queued' THEN 'failed' ELSE state END,
                reason = CASE WHEN state = 'queued' THEN ? ELSE reason END
            WHERE sender = ?
            """, [.text(MessageFailure.Reason.expired.rawValue), .id(account)])
    }

    /// Deletes the messages to a deleted account that still wait. Codes, invitations and shares stay, because they are
    /// for the person and not for the account.
    static func forget(_ recipients: [Identity], in transaction: any Transaction) throws {
        guard !recipients.isEmpty else { return }
        try transaction.execute(
            wanted: ["recipient"], recipients.map { [.text($0.shown)] },
            """
            DELETE FROM message WHERE state = 'queued' AND kind NOT IN ('code', 'invitation', 'share')
                AND recipient IN (SELECT recipient FROM wanted)
            """)
    }

    /// Deletes up to `step` messages that were sent or have failed, and are older than ``MessageLimits/kept``.
    ///
    /// - Returns: The number of deleted rows.
    package static func purge(_ now: Timestamp, _ step: Int64, in transaction: any Transaction) throws -> Int {
        let old = try transaction.query(
            "SELECT id FROM message WHERE created < ? AND state <> 'queued' ORDER BY created LIMIT ?",
            [.time(now - MessageLimits.kept), .integer(step)])
        try transaction.delete(from: "message", ["id"], old.map(\.values))
        return old.count
    }
}
