import KithModel

/// The rules of shareables. A code is registered in the transaction that stores its shareable, so that two people never
/// have the same.
struct ShareableRules: CollectionRules {
    let schema = Shareable.schema

    /// What is read for shareables.
    struct Needs: LedgerFacts {
        /// The keys of the share codes that are claimed.
        var codes: Set<String> = []
        /// The tokens of public links that shareables are to show.
        var listTokens: Set<String> = []
        /// Whether the rules for share codes are read.
        var readsCodeRules = false
    }

    /// What is known of shareables besides their records.
    struct Facts: LedgerFacts {
        /// The claimed share codes that are registered, by their keys: for which account, and in which programme. The account
        /// is nil if it was deleted.
        var codes: [String: (account: AccountID?, programme: String)] = [:]
        /// The number of codes that the caller may still register.
        var codesLeft = 0
        /// The rules for share codes, by programme.
        var codeRules: [String: ShareCodeRules] = [:]
        /// Those of the tokens in ``Needs/listTokens`` that belong to live public links.
        var publicTokens: Set<String> = []
    }

    /// The number of codes of an account, with those that its shareables had before. Otherwise somebody could take all the
    /// words, one after the other.
    static let codes = 3 * Limits.shareables

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        guard mutation.feed == account.retyped(), case .edit(let set, _) = mutation.change else { return }
        if mutation.seen == 0 { needs.addRecord(of: mutation) }
        if let token = set["list"]?.filled { needs[Needs.self].listTokens.insert(token) }
        guard let typed = set["code"]?.text else { return }
        needs[Needs.self].readsCodeRules = true
        if let code = try? ShareCode(typed) { needs[Needs.self].codes.insert(code.key) }
    }

    func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into known: inout KnownFacts,
        in transaction: any Transaction
    ) throws {
        let own = needs[Needs.self]
        guard own.readsCodeRules || !own.listTokens.isEmpty else { return }
        var facts = Facts()
        defer { known[Facts.self] = facts }
        for token in own.listTokens {
            let stored = try StoredLink.find(tokenHash: Secret.sha256(token), in: transaction)
            if stored?.showsList(at: now) ?? false { facts.publicTokens.insert(token) }
        }
        guard let account, own.readsCodeRules else { return }
        for row in try ProgrammeRow.all(in: transaction) {
            facts.codeRules[row.programme.name] = row.programme.codes
        }
        for row in try ShareCodeRow.find(own.codes, in: transaction).values {
            facts.codes[row.key] = (row.account, row.programme)
        }
        facts.codesLeft = try Self.codes - ShareCodeRow.count(of: account, in: transaction)
        guard needs.limited.contains(schema.collection) else { return }
        // The condition on `deleted`, which is always 0, is that of the index of shareables.
        let count = try transaction.count(
            "SELECT count(*) FROM record WHERE feed = ? AND collection = 'shareable' AND deleted = 0", [.id(account)])
        known.roomOfCollections[schema.collection] = Limits.shareables - count
    }

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        try ledger.checkNew(edit, "You have \(Limits.shareables) things to share. Remove one first.")
    }

    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection) {
        guard case .edit = edit.mutation.change else { return }
        if let token = state.fields["list"]?.filled, state.fields["list"] != edit.old?.fields["list"],
            !ledger[Facts.self].publicTokens.contains(token)
        {
            throw .init(
                .invalid, "This is no public link of a list that can be used. Make one with kith lists public LIST.")
        }
        guard state.fields["code"] != edit.old?.fields["code"] else { return }
        let programme = state.fields["programme"]?.text ?? ""
        guard let rules = ledger[Facts.self].codeRules[programme] else {
            throw .init(
                .noProgramme,
                "The server has no programme “\(programme)”. Sharing is off until its operator creates one.")
        }
        let code: ShareCode
        do throws(ShareCode.Fault) {
            code = try rules.anyCode(state.fields["code"]?.text ?? "")
        } catch {
            throw .init(BrokenRule(error))
        }
        if let owner = ledger[Facts.self].codes[code.key] {
            guard owner.account == edit.account else { throw .init(BrokenRule(ShareCode.Fault.taken)) }
            guard owner.programme == programme else {
                throw .init(.codeTaken, "You have this code in the programme “\(owner.programme)”. Choose another one.")
            }
        } else if ledger[Facts.self].codesLeft < 1 {
            throw .init(.full, "You have had \(Self.codes) codes. Choose one of them.")
        }
    }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        guard let account = ledger.account else { return }
        let changed = differences.filter { one in
            one.place.feed == account.retyped() && !one.new.state.isDeleted
                && one.new.state.fields["code"] != one.old?.state.fields["code"]
        }
        if changed.isEmpty { return }
        let network = try ledger.networkHash(in: transaction)
        for one in changed {
            let state = one.new.state
            guard let shareable = Shareable(id: one.place.record.retyped(), state.fields, modified: state.modified)
            else { continue }
            try ShareCodeRow.register(shareable, of: account, from: network, at: ledger.now, in: transaction)
        }
    }
}

extension ShareCodeRules {
    /// Reads a code that somebody has chosen, or that a device has made from random bits, perhaps before it knew the
    /// programme.
    fileprivate func anyCode(_ text: String) throws(ShareCode.Fault) -> ShareCode {
        let code = try ShareCode(text)
        return code.isRandom ? code : try self.code(text)
    }
}
