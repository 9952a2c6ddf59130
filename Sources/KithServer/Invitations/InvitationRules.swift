import Foundation
import KithModel

/// The rules of invitations. They give sent invitations, and answers to received ones, to the background job.
///
/// Nothing here depends on the recipient, so neither the answer nor its time reveals whether they have an account.
struct InvitationRules: CollectionRules {
    let schema = Invitation.schema

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        guard mutation.feed == account.retyped() else { return }
        if mutation.seen == 0 { needs.newIDs.insert(mutation.record.retyped()) }
        if case .edit(let set, _) = mutation.change, let list = set["list"]?.text.flatMap({ FeedID($0) }) {
            needs.lock(list)
        }
    }

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        guard edit.isNew, case .edit(let set, _) = edit.mutation.change else { return }
        if ledger.known.usedIDs.contains(edit.mutation.record.retyped()) {
            throw .init(.invalid, "An invitation cannot have this id: a list or an account has it.")
        }
        if let fault = NetworkContact.fault(ofOneMoreThan: ledger.feed(edit.mutation.feed)?.settled ?? 0) {
            throw .init(fault)
        }
        if let list = set["list"]?.text.flatMap({ FeedID($0) }),
            ledger.role(of: edit.account, in: list) != .owner || ledger.feed(list)?.kind != .list
        {
            throw .init(.forbidden, "Only the owner of a list can invite people to it.")
        }
    }

    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection) {
        guard case .edit = edit.mutation.change, let old = edit.old,
            state.stamp(of: "requested") != old.stamp(of: "requested")
        else { return }
        // The app reports that it has sent an invitation whose link was accepted before. There is nothing left to do.
        if Invitation.isSentByDevice(old.fields), Invitation.status(of: old.fields) == .accepted { return }
        let notified = old.fields["notified"]?.integer.map { Timestamp(milliseconds: $0) }
        let fault = Invitation.fault(
            ofResending: Invitation.status(of: old.fields), notified: notified, at: ledger.now)
        if let fault { throw .init(fault) }
    }

    /// Sending an invitation again clears its failure.
    func complete(_ state: inout RecordState, after edit: JudgedMutation) {
        guard let old = edit.old, state.stamp(of: "requested") != old.stamp(of: "requested") else { return }
        state.fields = Invitation.predicted(state.fields, before: old.fields)
    }

    func waits(_ state: RecordState) -> Bool {
        state.fields["inviter"] != nil && Invitation.status(of: state.fields) == .pending
    }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        // Changes by the background job and by other people's edits need no further work.
        guard let account = ledger.account else { return }
        var orders = InvitationOrders()
        for one in differences where one.place.feed == account.retyped() { orders.note(one) }
        try orders.write(of: account, from: ledger.known.network, at: ledger.now, in: transaction)
    }

    func addSignals(of difference: RecordDifference, to signals: inout Signals) { signals.topics.insert(.invitations) }
}

extension Signals.Topic {
    /// Invitations to send, answers to them, and invitations of deleted accounts.
    package static let invitations = Self("invitations")
}

/// The work that an account's edits give the background job.
private struct InvitationOrders {
    private var new: [(sent: RecordPlace, recipient: String)] = []
    private var links: [(sent: RecordPlace, hash: Data)] = []
    /// The invitations that have a new link.
    private var reopened: [RecordPlace] = []
    private var steps: [(step: InvitationRow.Step, sent: RecordPlace)] = []
    private var acceptances: [RecordPlace] = []
    private var declined: [RecordPlace] = []
    private var deleted: [RecordPlace] = []

    mutating func note(_ one: RecordDifference) {
        let (old, state) = (one.old?.state, one.new.state)
        let isReceived = (state.isDeleted ? old?.fields : state.fields)?["inviter"] != nil
        func isWritten(_ field: String) -> Bool {
            state.fields[field] != nil && state.stamp(of: field) != old?.stamp(of: field)
        }
        switch (isReceived, state.isDeleted) {
        case (true, true): deleted.append(one.place)
        case (true, false):
            guard isWritten("answer") else { break }
            switch Invitation.answer(in: state.fields) {
            case .accept: acceptances.append(one.place)
            case .decline: declined.append(one.place)
            case nil: break
            }
        case (false, true): steps.append((.end, one.place))
        case (false, false):
            if old == nil, let recipient = state.fields["recipient"]?.text { new.append((one.place, recipient)) }
            if isWritten("secret"), let hash = state.fields["secret"]?.text.flatMap({ Hex.bytes($0) }) {
                links.append((one.place, hash))
                if old != nil, !(state.fields["isRevoked"]?.flag ?? false) { reopened.append(one.place) }
            }
            if state.fields["isRevoked"]?.flag ?? false {
                if isWritten("isRevoked") { steps.append((.end, one.place)) }
            } else if isWritten("requested") {
                steps.append((.send, one.place))
            }
        }
    }

    /// Gives the orders to the background job. `network` is that of the account's device.
    func write(
        of account: AccountID, from network: ClientNetwork?, at now: Timestamp, in transaction: any Transaction
    ) throws {
        try InvitationRow.insert(new, at: now, in: transaction)
        try InvitationRow.addLinks(links, in: transaction)
        try InvitationRow.reopen(reopened, at: now, in: transaction)
        let count = steps.count + acceptances.count
        if count > 0 {
            let turn = try WorkTurns.take(count, of: account, in: .invitations, at: now, in: transaction)
            for step in [InvitationRow.Step.send, .end] {
                let sent = steps.filter { $0.step == step }.map(\.sent)
                if sent.isEmpty { continue }
                let hash =
                    try step == .send
                    ? network.map { try MessageSecret(in: transaction, random: .system).hash(of: $0) }
                    : nil
                try InvitationRow.schedule(step, for: sent, from: hash, due: turn, in: transaction)
            }
            try InvitationRow.scheduleAcceptances(acceptances, due: turn, in: transaction)
        }
        try InvitationRow.noteDeclined(declined, at: now, in: transaction)
        try InvitationRow.noteDeleted(deleted, at: now, in: transaction)
    }
}
