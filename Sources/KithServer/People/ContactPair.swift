import KithModel

/// The consequences of one person's wish about another: for their own contact record, and for the record of the other.
///
/// Both records are read and locked before anything is judged.
struct ContactPair {
    let account: AccountID
    let peer: AccountID

    /// My record of the other.
    var mine: RecordPlace { .contact(peer, of: account) }
    /// The other's record of me.
    var theirs: RecordPlace { .contact(account, of: peer) }

    /// Whether one of the two has blocked the other, as the database knows it.
    func isBlocked(in transaction: any Transaction) throws -> Bool {
        try RecordRow.read([mine, theirs], in: transaction).values
            .contains { !$0.state.isDeleted && $0.state.isBlocked }
    }
}

// MARK: - Checks

extension ContactPair {
    /// The reason why this mutation of a contact record is refused; nil if it is permitted.
    func refusal(of mutation: Mutation, isNew: Bool, in ledger: Ledger) -> Judgement.Rejection? {
        if let fault = NetworkContact.fault(of: peer, for: account) { return .init(fault) }
        guard let home = ledger.feed(peer.retyped()), home.kind == .account, !home.isClosed else {
            return .init(.unknown, "There is no such account, or it was deleted.")
        }
        if isNew, let fault = NetworkContact.fault(ofOneMoreThan: ledger.feed(account.retyped())?.settled ?? 0) {
            return .init(fault)
        }
        // My record of them does not count. Their record of me counts only if I know it, because a block is not
        // revealed.
        let isKnown = ledger.live(theirs).map { $0.state.relation != .none } ?? false
        if mutation.wish?.isForConnection == true, !isKnown, home.settled >= Limits.ownRecords {
            return .init(.full, "Their network is full. They have to make room first.")
        }
        return nil
    }

    /// The reason why my new wish, which has replaced my previous wish, is refused; nil if it is permitted.
    func refusal(
        of state: RecordState, _ mutation: Mutation, over old: RecordState?, at now: Timestamp, canAsk: Bool
    ) -> Judgement.Rejection? {
        let isAsked = old?.fields["asked"] != nil
        let asking = asking(mutation, over: old)
        // If the device does not know yet that the two are connected, its request to connect is not an error.
        let isKnown = mutation.seen == old?.sequence
        let fault = NetworkContact.fault(
            of: state.wish, relation: isKnown ? old?.relation ?? .none : .none, isAsked: isAsked,
            isBlocked: state.isBlocked, notified: asking == .known ? nil : old?.time("notified"), at: now)
        if let fault { return .init(fault) }
        if state.wish != .connect || isAsked || asking == .known || canAsk { return nil }
        return .init(
            .quotaExceeded,
            "You have asked \(Limits.requestsADay) people today; no more can be asked. Try again tomorrow (UTC).")
    }

    /// The meaning of a wish to connect for the other person.
    fileprivate enum Asking {
        /// I ask for the first time.
        case first
        /// I ask again: the device knew that the other was asked.
        case again
        /// Nothing new.
        case known
    }

    fileprivate func asking(_ mutation: Mutation, over old: RecordState?) -> Asking {
        guard let old, old.wish.isForConnection, let stamp = old.stamp(of: "wish") else { return .first }
        return old.relation == .sent && mutation.seen >= stamp.sequence ? .again : .known
    }
}

// MARK: - Consequences

extension Ledger {
    /// Writes the consequences of a contact's change, which is already in the ledger.
    mutating func follow(_ pair: ContactPair, _ mutation: Mutation, over old: RecordState?) {
        guard let state = records[pair.mine]?.state else { return }
        if state.isBlocked != (old?.isBlocked ?? false) {
            // The blocked person keeps seeing my state from the time when the server received the block.
            let seen = FieldValue.time(self[ContactRules.Facts.self].lastOnline ?? NetworkContact.neverSeen)
            set(["blocked": state.isBlocked ? seen : .null], of: .contacts, at: pair.mine)
        }
        if let stamp = state.stamp(of: "wish"), stamp != old?.stamp(of: "wish") {
            if !state.wish.isForConnection {
                withdraw(pair, isRemoval: state.wish == .none && old?.relation == .connected)
            } else if pair.asking(mutation, over: old) != .known {
                ask(pair, as: state.wish)
            }
        }
        refresh(pair.mine)
        refresh(pair.theirs)
    }

    /// Notifies the other that I want to connect, unless they have blocked or declined me.
    private mutating func ask(_ pair: ContactPair, as wish: NetworkContact.Wish) {
        let isAsked = records[pair.mine]?.state.fields["asked"] != nil
        if !isAsked {
            self[ContactRules.Facts.self].requests += 1
            set(["notified": .time(now)], of: .contacts, at: pair.mine)
        }
        let theirs = live(pair.theirs)?.state
        if !isAsked, let theirs, theirs.wish.isForConnection {
            // They asked when the limit of requests was reached.
            set(["asked": .time(theirs.time("notified") ?? now)], of: .contacts, at: pair.mine)
        }
        // For a week after declining, their record stays declined and they are not notified. The sender cannot tell.
        // The same applies to a block.
        if let theirs, theirs.fields["asked"] != nil, theirs.isBlocked || theirs.isDeclined(at: now) { return }
        // They are also not notified if too many requests wait. An error would reveal how they answered the other
        // requests.
        let waits = theirs.map { $0.relation == .none || $0.relation == .declined } ?? true
        if waits, feed(pair.peer.retyped())?.waiting ?? 0 >= Limits.requests { return }
        // The person who accepts did not ask. But `asked` marks both as connected, also for older devices.
        var news: Fields = ["asked": .time(now), "accepted": wish == .accept ? .time(now) : .null]
        if let theirs, theirs.wish == .decline, !theirs.isDeclined(at: now) {
            news["wish"] = .text(NetworkContact.Wish.none.rawValue)
        }
        set(news, of: .contacts, at: pair.theirs)
    }

    /// Notifies the other that I do not want to connect, or want to disconnect. This ends the connection for both.
    private mutating func withdraw(_ pair: ContactPair, isRemoval: Bool) {
        guard let theirs = live(pair.theirs)?.state else { return }
        if isRemoval {
            set(Self.unasked, of: .contacts, at: pair.mine)
            let wish: Fields = ["wish": .text(NetworkContact.Wish.none.rawValue)]
            set(Self.unasked.merging(wish) { $1 }, of: .contacts, at: pair.theirs)
        } else if theirs.isUntouched {
            remove(pair.theirs)
        } else {
            set(Self.unasked, of: .contacts, at: pair.theirs)
        }
    }

    /// Whether both networks have room for the other.
    func canConnect(_ pair: ContactPair) -> Bool {
        [pair.mine, pair.theirs].allSatisfy { place in
            live(place) != nil || (feed(place.feed)?.settled ?? 0) < Limits.ownRecords
        }
    }

    /// Whether the contact records of both say that they are connected.
    func areConnected(_ pair: ContactPair) -> Bool {
        [pair.mine, pair.theirs].allSatisfy { live($0)?.state.relation == .connected }
    }

    /// Connects two people who have both agreed to it by other means than their contact records.
    mutating func connect(_ pair: ContactPair) {
        if areConnected(pair) { return }
        let (accept, connect) = (NetworkContact.Wish.accept, NetworkContact.Wish.connect)
        set(["wish": .text(accept.rawValue), "asked": .time(now)], of: .contacts, at: pair.mine)
        set(
            ["wish": .text(connect.rawValue), "asked": .time(now), "accepted": .time(now)], of: .contacts,
            at: pair.theirs)
        refresh(pair.mine)
        refresh(pair.theirs)
    }

    /// The other does not want to be connected.
    private static let unasked: Fields = ["asked": .null, "accepted": .null]

    /// Writes the visible part of the other's profile into a contact record, from the current state of both.
    ///
    /// ``ProfileFanout`` writes the same into all contacts of a person.
    mutating func refresh(_ place: RecordPlace) {
        guard let contact = live(place)?.state else { return }
        let peer: AccountID = place.record.retyped()
        let profile = live(.profile(of: peer))?.state.fields ?? [:]
        let summary = ProfileSummary(of: profile, isBot: self[ContactRules.Facts.self].bots.contains(peer))
        let part = ProfileSummary.Part(contact.relation, isBlocked: contact.isBlocked)
        set(summary.fields(part), of: .contacts, at: place)
    }
}

extension Mutation {
    /// The author's wish in the mutation, if it sets one.
    fileprivate var wish: NetworkContact.Wish? {
        guard collection == .contacts, case .edit(let set, _) = change else { return nil }
        return set["wish"]?.text.flatMap(NetworkContact.Wish.init)
    }
}

// MARK: - The state of a contact

extension RecordState {
    /// The wish of its owner.
    var wish: NetworkContact.Wish { fields["wish"]?.text.flatMap(NetworkContact.Wish.init) ?? .none }

    /// Whether its owner has blocked the other.
    var isBlocked: Bool { fields["isBlocked"]?.flag ?? false }

    /// The relation of the two, from the owner's view.
    var relation: NetworkContact.Relation { NetworkContact.relation(wish, isAsked: fields["asked"] != nil) }

    /// Whether its owner never edited it. It then exists only because of the other's request.
    fileprivate var isUntouched: Bool {
        Set(fields.keys).union(stamps.own.keys).allSatisfy { NetworkContact.schema[$0]?.writer == .server }
    }

    /// Whether its owner has declined so recently that a further request is ignored.
    fileprivate func isDeclined(at now: Timestamp) -> Bool {
        guard wish == .decline, let declined = stamp(of: "wish")?.time else { return false }
        return declined + Limits.declined > now
    }

    fileprivate func time(_ name: String) -> Timestamp? { fields[name]?.time }
}

extension FieldValue {
    fileprivate static func time(_ time: Timestamp) -> FieldValue { .integer(time.milliseconds) }
}
