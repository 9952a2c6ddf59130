import KithModel

/// What follows from what one person wants of another: for their own contact record, and for the other's.
///
/// Both records are read and locked before anything is judged; the same code serves mutations, the reach of a changed
/// profile, and deletion.
struct Pair {
    let account: AccountID
    let peer: AccountID

    /// My record of the other.
    var mine: RecordPlace { .contact(peer, of: account) }
    /// The other's record of me.
    var theirs: RecordPlace { .contact(account, of: peer) }
}

// MARK: - May it be?

extension Pair {
    /// Why a contact record of these two cannot be written; nil if it can.
    func refusal(of mutation: Mutation, isNew: Bool, in ledger: Ledger) -> Judgement.Rejection? {
        if peer == account { return .init(.yourself, "This is you: nobody is in their own network.") }
        guard let home = ledger.feeds[peer.retyped()], home.kind == .account, !home.isClosed else {
            return .init(.unknown, "There is no such account, or it was deleted.")
        }
        if isNew, ledger.feeds[account.retyped()]?.settled ?? 0 >= Limits.ownRecords {
            return .init(.full, "Your network is full. Remove lists that you no longer need, then try again.")
        }
        // What I have of them does not count, and what they have of me only if I know it: a block is not told.
        let isKnown = ledger.live(theirs).map { $0.state.relation != .none } ?? false
        if mutation.wish?.isForConnection == true, !isKnown, home.settled >= Limits.ownRecords {
            return .init(.full, "Their network is full. They have to make room first.")
        }
        return nil
    }

    /// Why what I want, which has won over what I wanted before, cannot be; nil if it can.
    func refusal(
        of state: RecordState, _ mutation: Mutation, over old: RecordState?, at now: Timestamp, canAsk: Bool
    ) -> Judgement.Rejection? {
        let isAsked = old?.fields["asked"] != nil
        if state.wish.isForConnection && state.isBlocked {
            return .init(.forbidden, "You have blocked them. Unblock them first.")
        }
        switch state.wish {
        case .none, .decline: return nil
        case .accept:
            return isAsked ? nil : .init(.noRequest, "There is no request to accept. It may have been cancelled.")
        case .connect:
            if old?.relation == .connected, mutation.seen == old?.sequence {
                return .init(.alreadyConnected, "You are connected already.")
            }
            if isAsked || asking(mutation, over: old) == .known { return nil }
            if let earliest = old?.time("notified").map({ $0 + Limits.resend }), now < earliest {
                let minutes = ((earliest - now).milliseconds + 59_999) / 60_000
                return .init(.tooSoon, "They were asked less than an hour ago. Send it again in \(minutes) min.")
            }
            if canAsk { return nil }
            return .init(
                .quotaExceeded,
                "You have asked \(Limits.requestsADay) people today; no more can be asked. Try again tomorrow (UTC).")
        }
    }

    /// What a wish to be connected says to the other.
    fileprivate enum Asking {
        /// That I ask, which I did not before.
        case first
        /// That I ask once more: the device knew that they were asked.
        case again
        /// Nothing that they have not heard.
        case known
    }

    fileprivate func asking(_ mutation: Mutation, over old: RecordState?) -> Asking {
        guard let old, old.wish.isForConnection, let stamp = old.stamp(of: "wish") else { return .first }
        return old.relation == .sent && mutation.seen >= stamp.sequence ? .again : .known
    }
}

// MARK: - What follows

extension Ledger {
    /// Writes what follows from a contact's change, which is in the ledger already.
    mutating func follow(_ pair: Pair, _ mutation: Mutation, over old: RecordState?) {
        guard let state = records[pair.mine]?.state else { return }
        if state.isBlocked != (old?.isBlocked ?? false) {
            // What the blocked one is told of me stays as it is when the block arrives, whenever I wished it.
            let seen = FieldValue.time(beside.seen ?? NetworkContact.neverSeen)
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

    /// The other hears that I want to be connected, unless they have said that they do not want to hear it.
    private mutating func ask(_ pair: Pair, as wish: NetworkContact.Wish) {
        let isAsked = records[pair.mine]?.state.fields["asked"] != nil
        if !isAsked {
            countRequest()
            set(["notified": .time(now)], of: .contacts, at: pair.mine)
        }
        let theirs = live(pair.theirs)?.state
        if !isAsked, let theirs, theirs.wish.isForConnection {
            // They asked when there was no room for it.
            set(["asked": .time(theirs.time("notified") ?? now)], of: .contacts, at: pair.mine)
        }
        // Within the week it stays declined, and they hear nothing; the one who asks cannot tell. So with a block.
        if let theirs, theirs.fields["asked"] != nil, theirs.isBlocked || theirs.isDeclined(at: now) { return }
        // Nor when so many wait already: to be told would tell what became of the others'.
        let waits = theirs.map { $0.relation == .none || $0.relation == .declined } ?? true
        if waits, feeds[pair.peer.retyped()]?.waiting ?? 0 >= Limits.requests { return }
        // Who accepts has not asked; but it is by `asked` that both count as connected, also for older devices.
        var news: Fields = ["asked": .time(now), "accepted": wish == .accept ? .time(now) : .null]
        if let theirs, theirs.wish == .decline, !theirs.isDeclined(at: now) {
            news["wish"] = .text(NetworkContact.Wish.none.rawValue)
        }
        set(news, of: .contacts, at: pair.theirs)
    }

    /// The other hears that I do not want to be connected, or not any more: then it is over for both.
    private mutating func withdraw(_ pair: Pair, isRemoval: Bool) {
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

    /// The other does not want to be connected.
    private static let unasked: Fields = ["asked": .null, "accepted": .null]

    /// Writes into a contact record what its owner may see of the other's profile, as both are now.
    mutating func refresh(_ place: RecordPlace) {
        refresh(place, with: summary(of: place.record.retyped()))
    }

    /// ``refresh(_:)`` with the summary of the other, which serves for all who have them.
    mutating func refresh(_ place: RecordPlace, with summary: ProfileSummary) {
        guard let contact = live(place)?.state else { return }
        set(summary.fields(in: contact), of: .contacts, at: place)
    }

    /// What contacts carry of a person whose profile has been read.
    func summary(of subject: AccountID) -> ProfileSummary {
        ProfileSummary(
            of: live(.profile(of: subject))?.state.fields ?? [:], isBot: beside.bots.contains(subject))
    }
}

extension Mutation {
    /// What it says that its author wants of the other, if it says so.
    fileprivate var wish: NetworkContact.Wish? {
        guard collection == .contacts, case .edit(let set, _) = change else { return nil }
        return set["wish"]?.text.flatMap(NetworkContact.Wish.init)
    }
}

// MARK: - Of a contact

extension RecordState {
    /// What its owner wants.
    var wish: NetworkContact.Wish { fields["wish"]?.text.flatMap(NetworkContact.Wish.init) ?? .none }

    /// Whether its owner has blocked the other.
    var isBlocked: Bool { fields["isBlocked"]?.flag ?? false }

    /// What the two are to each other, as its owner sees it.
    var relation: NetworkContact.Relation { NetworkContact.relation(wish, isAsked: fields["asked"] != nil) }

    /// Whether its owner never wrote anything into it: then it is there only because the other asks.
    fileprivate var isUntouched: Bool {
        Set(fields.keys).union(stamps.own.keys).allSatisfy { NetworkContact.schema[$0]?.writer == .server }
    }

    /// Whether its owner has declined, so lately that a further request is not heard.
    fileprivate func isDeclined(at now: Timestamp) -> Bool {
        guard wish == .decline, let declined = stamp(of: "wish")?.time else { return false }
        return declined + Limits.declined > now
    }

    fileprivate func time(_ name: String) -> Timestamp? {
        fields[name]?.integer.map { Timestamp(milliseconds: $0) }
    }
}

extension FieldValue {
    fileprivate static func time(_ time: Timestamp) -> FieldValue { .integer(time.milliseconds) }
}
