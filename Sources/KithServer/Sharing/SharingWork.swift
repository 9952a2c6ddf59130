import KithModel

/// The work of the background job of sharing, one step per transaction.
struct SharingWork {
    let transaction: any Transaction
    let now: Timestamp
    /// When the server's clock was last trusted; nil if it is not. Only held referrals need it.
    var trusted: Timestamp?
    let dependencies: SharingDependencies

    /// Does the next step.
    ///
    /// - Parameter note: Gets the subject of the step before it is done.
    /// - Throws: ``ServerError``, for example if the step cannot be done.
    /// - Returns: The signals to send.
    func take(_ note: (SharingSubject) -> Void) throws -> Signals {
        guard let step = try SharingStep.next(at: now, trusted: trusted, in: transaction, note) else {
            return Signals()
        }
        switch step {
        case .signUp(let signUp):
            try SignUps.end(signUp.account, in: transaction)
            return try attributor.signUp(signUp.account, joined: signUp.joined)
        case .order(let order):
            try order.end(in: transaction)
            switch order.kind {
            case .share: return try share(order)
            case .claim: return try attributor.claim(order.record.retyped(), of: order.account)
            case .event: return try event(order)
            case .earlyEvent: return Signals()
            case .identity:
                try ReferredPeople.update(order.account, random: dependencies.random, in: transaction)
                return Signals()
            case .failure: return try fail(order)
            case .signal: return Signals(moved: [order.place.feed])
            }
        case .referral(let row): return try rewarder.settle(row)
        }
    }

    private var attributor: Attributor {
        Attributor(transaction: transaction, now: now, random: dependencies.random)
    }

    private var rewarder: Rewarder { Rewarder(transaction: transaction, now: now, random: dependencies.random) }

    // MARK: - Events

    private func event(_ order: SharingOrder) throws -> Signals {
        var needs = LedgerNeeds()
        needs.accounts.insert(order.account)
        needs.records.insert(order.place)
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        guard let state = ledger.live(order.place)?.state else { return Signals() }
        ledger.remove(order.place)
        var signals = try ledger.write(in: transaction)
        if let event = SharingEvent(id: order.record.retyped(), state.fields, modified: state.modified),
            let programme = try ProgrammeRow.find(event.programme, in: transaction)?.programme
        {
            signals.formUnion(try rewarder.decide(about: event.name, of: order.account, in: programme))
        }
        return signals
    }

    // MARK: - Shares

    private func share(_ order: SharingOrder) throws -> Signals {
        guard var row = try ShareRow.find(order.record.retyped(), of: order.account, in: transaction),
            let programme = try ProgrammeRow.find(row.programme, in: transaction)?.programme
        else { return try failWithoutShareable(order) }
        if let recipient = row.recipient.map(dependencies.canonical), recipient != row.recipient {
            row.recipient = recipient
            try row.setRecipient(recipient, in: transaction)
        }
        let shareable = RecordPlace(row.shareable, of: row.account)
        var ledger = try ledger(of: row.place, and: [shareable, .profile(of: row.account)])
        guard let state = ledger.live(row.place)?.state,
            let share = Share(id: row.id, state.fields, modified: state.modified)
        else { return Signals() }
        guard share.status == .pending else {
            guard share.status == .shared else { return Signals() }
            if programme.isPaused { try row.forgetRecipient(in: transaction) } else { try count(row, in: programme) }
            return Signals()
        }
        var failure = try refusal(of: row, in: programme)
        if failure == nil {
            failure = try addMessage(share, row, programme, ledger.live(shareable)?.state, ledger)
        }
        if let failure {
            try row.forgetRecipient(in: transaction)
            ledger.fail(row.place, failure)
        } else {
            ledger.set(["state": .text(Share.State.sent.rawValue)], of: .shares, at: row.place)
            try count(row, in: programme)
        }
        return try ledger.write(in: transaction)
    }

    /// Fails an email whose shareable was removed before it was sent. Nothing else is known of such a share.
    private func failWithoutShareable(_ order: SharingOrder) throws -> Signals {
        var ledger = try ledger(of: order.place)
        guard let state = ledger.live(order.place)?.state,
            let share = Share(id: order.record.retyped(), state.fields, modified: state.modified),
            share.status == .pending
        else { return Signals() }
        ledger.fail(order.place, MessageFailure(.noShareable))
        return try ledger.write(in: transaction)
    }

    /// Counts a share, and reports it to the operator's webhooks.
    private func count(_ row: ShareRow, in programme: Programme) throws {
        let channel = try KnownChannels(transaction).countedShare(row.channel, in: programme)
        try Funnel.count(.shared, of: row.programme, by: channel, at: now, in: transaction)
        let outbox = WebhookOutbox(transaction: transaction, now: now, random: dependencies.random)
        try outbox.add(.shared, in: row.programme) { WebhookEvent.Content(row) }
    }

    private func ledger(of share: RecordPlace, and places: Set<RecordPlace> = []) throws -> Ledger {
        var needs = LedgerNeeds()
        needs.accounts.insert(share.feed.retyped())
        needs.records = places.union([share])
        return try Ledger.open(needs, for: nil, at: now, in: transaction)
    }

    /// The reason why an email is not sent; nil if it is.
    private func refusal(of row: ShareRow, in programme: Programme) throws -> MessageFailure? {
        if programme.isPaused { return MessageFailure(.paused) }
        if try owner(of: row) == row.account { return MessageFailure(.yourself) }
        let own = DailyQuota(
            kind: "share", noun: "shares", limit: min(programme.sharesADay, Limits.emailSharesADay))
        let isWithinQuota = try SenderQuota(ofAccount: own, ofNetwork: Self.networkQuota)
            .take(by: row.account, in: row.network, at: now, in: transaction)
        return isWithinQuota ? nil : MessageFailure(.senderLimit)
    }

    /// The emails of all accounts in a network in a day.
    private static let networkQuota = DailyQuota(
        kind: "sharesOfNetwork", noun: "shares", limit: Limits.invitationsOfNetworkADay)

    /// The account whose email it is; nil if there is none.
    private func owner(of row: ShareRow) throws -> AccountID? {
        try row.recipient.flatMap { try IdentityRegister(at: now).owner(of: $0, in: transaction) }
    }

    private func addMessage(
        _ share: Share, _ row: ShareRow, _ programme: Programme, _ shareable: RecordState?, _ ledger: Ledger
    ) throws -> MessageFailure? {
        guard let recipient = share.recipient, let shareable, !shareable.isDeleted,
            let shared = Shareable(id: share.shareable, shareable.fields, modified: shareable.modified)
        else { return MessageFailure(.noShareable) }
        let profile = ledger.live(.profile(of: row.account))?.state.fields ?? [:]
        let languages = [share.language, Profile(profile).language].compactMap(\.self)
        let link = dependencies.link(ShareLink(shared.code, channel: .email))
        let name = MessageComposer.line(ledger.name(of: row.account)) ?? InvitationText.somebody(in: languages)
        let standard = programme.shares[.email] ?? programme.shares[.link]
        func filled(_ own: String?, _ texts: Programme.Texts?) -> String {
            (own ?? texts.map { Programme.text($0, in: languages) } ?? "")
                .replacing("{{link}}", with: link).replacing("{{code}}", with: shared.code.text)
                .replacing("{{name}}", with: name)
        }
        let text = filled(share.message, standard?.text)
        // If there is no other account, the same query is made, so that the time reveals nothing.
        let pair = ContactPair(account: row.account, peer: try owner(of: row) ?? row.account)
        let isWithheld = try pair.isBlocked(in: transaction)
        let id = MessageID(at: now, random: dependencies.random)
        let state = try dependencies.messages.add(
            OutgoingMessage(
                id: id, channel: recipient.channel, recipient: recipient.shown, kind: .share, languages: languages,
                values: [
                    "inviter": name, "subject": MessageComposer.line(filled(share.subject, standard?.subject)) ?? "",
                    "text": String(text.prefix(MessageLimits.text)), "link": link, "code": shared.code.text,
                ], canUnsubscribe: true, sender: row.account, isWithheld: isWithheld),
            at: now, in: transaction)
        if case .failed(let failure) = state { return failure }
        try row.setMessage(id, in: transaction)
        if isWithheld { try row.forgetRecipient(in: transaction) }
        return nil
    }

    // MARK: - Emails that were not delivered

    /// Writes into a share that its email did not reach its recipient.
    func fail(_ message: FailedMessage) throws -> Signals? {
        guard let row = try ShareRow.find(message: message.id, in: transaction) else { return nil }
        return try fail(row, message.failure)
    }

    /// Does ``fail(_:)`` later.
    private func fail(_ order: SharingOrder) throws -> Signals {
        guard let row = try ShareRow.find(order.record.retyped(), of: order.account, in: transaction),
            let message = row.message,
            case .failed(let failure) = try dependencies.messages.state(of: message, in: transaction)
        else { return Signals() }
        return try fail(row, failure)
    }

    private func fail(_ row: ShareRow, _ failure: MessageFailure) throws -> Signals {
        try row.forgetRecipient(in: transaction)
        var ledger = try ledger(of: row.place)
        ledger.fail(row.place, failure)
        return try ledger.write(in: transaction)
    }
}

extension Ledger {
    /// Writes into a share why it has failed.
    fileprivate mutating func fail(_ place: RecordPlace, _ failure: MessageFailure) {
        guard live(place) != nil else { return }
        set(
            [
                "state": .text(Share.State.failed.rawValue), "reason": .text(failure.reason.rawValue),
                "detail": .text(failure.detail),
            ], of: .shares, at: place)
    }
}
