import KithModel

extension World {
    /// Takes one group whole or not at all.
    mutating func take(
        _ group: [Mutation], of account: AccountID, _ device: DeviceID, at now: Timestamp
    ) -> [MutationOutcome] {
        let before = feeds
        var outcomes: [MutationOutcome] = []
        for mutation in group {
            let outcome = take(mutation, of: account, device, at: now)
            if outcome.result == .rejected {
                feeds = before
                return group.map {
                    $0.number == mutation.number
                        ? outcome
                        : MutationOutcome(
                            number: $0.number, result: .rejected, code: .group, detail: "The group was refused.")
                }
            }
            outcomes.append(outcome)
        }
        return outcomes
    }

    private mutating func take(
        _ mutation: Mutation, of account: AccountID, _ device: DeviceID, at now: Timestamp
    ) -> MutationOutcome {
        func rejected(_ code: RejectionCode, _ detail: String = "Refused.") -> MutationOutcome {
            MutationOutcome(number: mutation.number, result: .rejected, code: code, detail: detail)
        }
        let isNewList =
            feeds[mutation.feed] == nil && mutation.collection == .lists && mutation.record.uuid == mutation.feed.uuid
            && mutation.change != .delete
        var feed = feeds[mutation.feed] ?? Feed()
        guard let role = isNewList ? .owner : feed.roles[account] else { return rejected(.forbidden) }
        guard let schema = Schema.all.first(where: { $0.collection == mutation.collection }) else {
            return rejected(.invalid)
        }
        let old = feed.records[mutation.record]
        let rights = Rights(role: role, isPerson: mutation.record.uuid == account.uuid)
        if let fault = Rules.fault(in: mutation.change, to: schema, creating: false, by: rights) {
            return rejected(fault.code, fault.sentence)
        }
        if isTaken(mutation) { return rejected(.codeTaken, "Somebody else has this code.") }
        if mutation.collection == .memberships && mutation.change == .delete {
            if feeds[mutation.record.retyped()]?.roles[account] == .owner { return rejected(.ownerStays) }
        }
        feed.time = max(feed.time, now)
        let arrival = Merge.Arrival(
            time: feed.time, sequence: feed.sequence + 1, device: Int64(device.uuid.halves.low & 0xFFFF_FFFF))
        switch Merge.outcome(of: mutation, on: old?.state, at: arrival, by: schema) {
        case .superseded: return MutationOutcome(number: mutation.number, result: .superseded)
        case .rejected(let code): return rejected(code)
        case .applied(var record):
            if old == nil && mutation.collection == .items { record.fields["creator"] = .text(account.description) }
            feed.sequence += 1
            feed.records[mutation.record] = Entry(collection: mutation.collection, state: record)
            feeds[mutation.feed] = feed
            if isNewList { share(mutation.record.retyped(), with: account, as: .owner, at: now) }
            if mutation.change == .delete { deleted(mutation, by: account, at: now) }
            return MutationOutcome(number: mutation.number, result: .applied)
        }
    }

    /// Whether a mutation sets the share code of somebody else.
    private func isTaken(_ mutation: Mutation) -> Bool {
        guard mutation.collection == .shareables, case .edit(let set, _) = mutation.change,
            let text = set["code"]?.text, let code = try? ShareCode(text)
        else { return false }
        return takenCodes.contains(code)
    }

    private mutating func deleted(_ mutation: Mutation, by account: AccountID, at now: Timestamp) {
        switch mutation.collection {
        case .lists:
            for person in (feeds[mutation.feed]?.roles ?? [:]).keys.sorted() {
                expel(person, from: mutation.record.retyped(), at: now)
            }
        case .memberships: expel(account, from: mutation.record.retyped(), at: now)
        case .members: expel(mutation.record.retyped(), from: mutation.feed.retyped(), at: now)
        default: break
        }
    }
}
