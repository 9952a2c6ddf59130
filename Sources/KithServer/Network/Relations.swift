import KithModel

/// What follows from what one person wants of another: for their own contact record, and for the other's.
///
/// Both records are read and locked before anything is judged; the same code serves mutations, the reach of a changed
/// profile, and deletion.
struct Relations {
    let account: AccountID
    let peer: AccountID

    /// My record of the other.
    var mine: RecordKey { .contact(peer, of: account) }
    /// The other's record of me.
    var theirs: RecordKey { .contact(account, of: peer) }
}

// MARK: - May it be?

extension Relations {
    /// Why a contact record of these two cannot be written; nil if it can.
    func refusal(of mutation: Mutation, isNew: Bool, in ledger: Ledger) -> Judgement.Rejection? {
        if peer == account { return .init(.yourself, "This is you: nobody is in their own network.") }
        guard let home = ledger.feeds[peer.retyped()], home.kind == .account, !home.isClosed else {
            return .init(.unknown, "There is no such account, or it was deleted.")
        }
        if isNew, ledger.feeds[account.retyped()]?.live ?? 0 >= Limits.ownRecords {
            return .init(.full, "Your network is full. Remove lists that you no longer need, then try again.")
        }
        guard mutation.wish?.isForConnection == true, ledger.records[theirs] == nil, home.live >= Limits.ownRecords
        else { return nil }
        return .init(.full, "Their network is full. They have to make room first.")
    }

    /// Why what I want, which has won over what I wanted before, cannot be; nil if it can.
    func refusal(
        of wish: NetworkContact.Wish, _ mutation: Mutation, over old: RecordState?, at now: Timestamp, canAsk: Bool
    ) -> Judgement.Rejection? {
        switch wish {
        case .none, .decline: return nil
        case .accept:
            if old?.fields["asked"] != nil { return nil }
            return .init(.noRequest, "There is no request to accept. It may have been cancelled.")
        case .connect:
            if old?.relation == .connected, mutation.seen == old?.sequence {
                return .init(.alreadyConnected, "You are connected already.")
            }
            let asksAnew = old.map { isResend(mutation, over: $0) || !$0.wish.isForConnection } ?? true
            if old?.fields["asked"] == nil, asksAnew, let notified = old?.time("notified") {
                let earliest = notified + Limits.resend
                if now < earliest {
                    let minutes = ((earliest - now).milliseconds + 59_999) / 60_000
                    return .init(
                        .tooSoon, "They were asked less than an hour ago. Send it again in \(minutes) min.")
                }
            }
            if !asksAnew { return nil }
            if old?.fields["asked"] != nil || canAsk { return nil }
            return .init(
                .quotaExceeded,
                "You have asked \(Limits.requestsADay) people today; no more can be asked. Try again tomorrow (UTC).")
        }
    }

    /// Whether it asks once more, by a device that knew that the other was asked.
    private func isResend(_ mutation: Mutation, over old: RecordState) -> Bool {
        guard old.relation == .sent, let stamp = old.stamp(of: "wish") else { return false }
        return mutation.seen >= stamp.sequence
    }
}

// MARK: - What follows

extension Ledger {
    /// Writes what follows from a contact's change, which is in the ledger already.
    mutating func follow(_ relations: Relations, _ mutation: Mutation, over old: RecordState?) {
        guard let state = records[relations.mine]?.state else { return }
        if state.isBlocked != (old?.isBlocked ?? false) {
            // By the server's clock, as it arrived: to the blocked one I went in this moment, whenever I wished it.
            set(["blocked": state.isBlocked ? .time(now) : .null], of: .contacts, at: relations.mine)
        }
        if let stamp = state.stamp(of: "wish"), stamp != old?.stamp(of: "wish") {
            wish(state.wish, relations, mutation, over: old)
        }
        refresh(relations.mine)
        refresh(relations.theirs)
    }

    private mutating func wish(
        _ wish: NetworkContact.Wish, _ relations: Relations, _ mutation: Mutation, over old: RecordState?
    ) {
        let theirs = records[relations.theirs]?.state
        if wish.isForConnection {
            let isAgain = old?.wish.isForConnection ?? false
            if isAgain && !relations.asksAgain(mutation, over: old) { return }
            if records[relations.mine]?.state.fields["asked"] == nil {
                countRequest()
                set(["notified": .time(now)], of: .contacts, at: relations.mine)
            }
            var news: Fields = ["asked": .time(now)]
            if let theirs, theirs.wish == .decline, let declined = theirs.stamp(of: "wish")?.time {
                // Within the week it stays declined, and they hear nothing; the one who asks cannot tell.
                if declined + Limits.declined > now && theirs.fields["asked"] != nil { return }
                if declined + Limits.declined <= now { news["wish"] = .text(NetworkContact.Wish.none.rawValue) }
            }
            if let theirs, theirs.isBlocked && theirs.fields["asked"] != nil { return }
            set(news, of: .contacts, at: relations.theirs)
        } else if let theirs {
            let wasConnected = old?.relation == .connected
            if wish == .none && wasConnected {
                // Removed: it is over for both.
                set(["asked": .null], of: .contacts, at: relations.mine)
                set(
                    ["asked": .null, "wish": .text(NetworkContact.Wish.none.rawValue)], of: .contacts,
                    at: relations.theirs)
            } else if theirs.fields["asked"] != nil {
                set(["asked": .null], of: .contacts, at: relations.theirs)
            }
        }
    }

    /// Writes into a contact record what its owner may see of the other's profile, as both are now.
    mutating func refresh(_ place: RecordKey) {
        guard let state = records[place]?.state, !state.isDeleted else { return }
        let subject: AccountID = place.record.retyped()
        let isShown = state.relation != .none || state.isBlocked
        let profile = isShown ? records[.profile(of: subject)]?.state.fields ?? [:] : [:]
        var view = ProfileView.summary(of: profile, toNetwork: state.relation == .connected)
        view.fields["detailsTag"] = .text(view.detailsTag)
        view.fields["isBot"] = bots.contains(subject) ? true : .null
        set(view.fields, of: .contacts, at: place)
    }
}

extension Relations {
    fileprivate func asksAgain(_ mutation: Mutation, over old: RecordState?) -> Bool {
        old.map { isResend(mutation, over: $0) } ?? false
    }
}

extension Mutation {
    /// What it says that its author wants of the other, if it says so.
    fileprivate var wish: NetworkContact.Wish? {
        guard collection == .contacts, case .edit(let set, _) = change else { return nil }
        return set["wish"]?.text.flatMap(NetworkContact.Wish.init)
    }
}

extension RecordState {
    /// Of a contact: what its owner wants.
    var wish: NetworkContact.Wish { fields["wish"]?.text.flatMap(NetworkContact.Wish.init) ?? .none }

    /// Of a contact: whether its owner has blocked the other.
    var isBlocked: Bool { fields["isBlocked"]?.flag ?? false }

    /// Of a contact: what the two are to each other, as its owner sees it.
    var relation: NetworkContact.Relation { NetworkContact.relation(wish, isAsked: fields["asked"] != nil) }

    fileprivate func time(_ name: String) -> Timestamp? {
        fields[name]?.integer.map { Timestamp(milliseconds: $0) }
    }
}

extension FieldValue {
    fileprivate static func time(_ time: Timestamp) -> FieldValue { .integer(time.milliseconds) }
}
