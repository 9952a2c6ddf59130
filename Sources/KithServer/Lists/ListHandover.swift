import KithModel

/// Decides what becomes of the lists of an account that is to be deleted, and does it.
///
/// Only lists in which other people are need a decision. Nothing is chosen for the owner: a list without a decision stops
/// the deletion.
struct ListHandover {
    /// The lists that one transaction changes.
    static let step = 10
    /// The lists that an error names.
    private static let named = 10

    private let account: AccountID
    private let decisions: [FeedID: ListDecision]
    private let others: ListDecision?

    init(of account: AccountID, _ deletion: AccountDeletion) {
        self.account = account
        decisions = Dictionary(
            (deletion.lists ?? []).map { ($0.list.retyped(), $0.decision) }, uniquingKeysWith: { $1 })
        others = deletion.others?.decision
    }

    /// The lists that the account owns, and in which other people are or which somebody is to get: the first `count` of them
    /// in the order of their ids, or all if it is nil.
    private func lists(first count: Int? = nil, in transaction: any Transaction) throws -> [FeedID] {
        let most = count.map { Int64($0) } ?? .max
        let shared = try transaction.query(
            """
            \(Self.owned) AND EXISTS (
                SELECT 1 FROM access AS other WHERE other.feed = access.feed AND other.account <> access.account
                    AND EXISTS (SELECT 1 FROM account AS person WHERE person.id = other.account)
            ) ORDER BY feed LIMIT ?
            """, [.id(account), .integer(most)])
        let handedOver = try transaction.query(
            wanted: ["feed"], decisions.filter { $0.value != .delete }.keys.map { [.id($0)] },
            "\(Self.owned) AND feed IN (SELECT feed FROM wanted)", [.id(account)])
        let lists: Set<FeedID> = Set(try (shared + handedOver).map { try $0.id(0) })
        return Array(lists.sorted().prefix(count ?? lists.count))
    }

    private static let owned = "SELECT feed FROM access WHERE account = ? AND role = 'owner' AND feed <> account"

    /// Checks that every list has a decision that can be carried out. Changes nothing.
    ///
    /// - Throws: ``ServerError`` with the code `listsUndecided`, which names the lists.
    func check(in transaction: any Transaction) throws {
        _ = try heirs(of: lists(in: transaction), in: transaction)
    }

    /// The names of the lists that need a decision, in the order of their ids.
    func names(in transaction: any Transaction) throws -> [String] {
        let places = try lists(in: transaction).map { RecordPlace.list($0) }
        let records = try RecordRow.read(Set(places), in: transaction)
        return places.map { records[$0]?.state.fields["name"]?.text ?? "" }
    }

    /// The new owners of these lists; none of a list that is to be deleted.
    ///
    /// - Throws: ``ServerError`` with the code `listsUndecided`, which names the lists without a decision that can be carried
    ///   out.
    private func heirs(of lists: [FeedID], in transaction: any Transaction) throws -> [FeedID: AccountID] {
        var heirs: [FeedID: AccountID] = [:]
        var (undecided, impossible): ([FeedID], [FeedID]) = ([], [])
        for list in lists {
            guard let decision = decisions[list] ?? others else {
                undecided.append(list)
                continue
            }
            if case .delete = decision { continue }
            if let heir = try heir(of: list, decision, in: transaction) {
                heirs[list] = heir
            } else {
                impossible.append(list)
            }
        }
        if !undecided.isEmpty {
            throw ServerError(
                .listsUndecided,
                """
                Other people are in \(try names(of: undecided, in: transaction)). Say for each list who gets it, or that \
                it is deleted. Nothing was changed.
                """)
        }
        if !impossible.isEmpty {
            throw ServerError(
                .listsUndecided,
                """
                \(try names(of: impossible, in: transaction)) cannot be handed over so: the person is not in the list, or it \
                has no editor. Name somebody who is in it, or delete it. Nothing was changed.
                """)
        }
        return heirs
    }

    /// Carries out the decisions for the next lists.
    ///
    /// - Returns: The signals to send; nil if no list is left.
    /// - Throws: ``ServerError`` with the code `listsUndecided` if the people of a list have changed since
    ///   ``check(in:)``. Earlier lists then stay as decided.
    func takeNext(at now: Timestamp, in transaction: any Transaction) throws -> Signals? {
        let next = try lists(first: Self.step, in: transaction)
        guard !next.isEmpty else { return nil }
        // Until its feed is locked, others may change the people of a list, so they are read after that.
        try FeedRow.lockRows(next, in: transaction)
        let owned = try Set(lists(first: Self.step, in: transaction))
        let lists = next.filter(owned.contains)
        let heirs = try heirs(of: lists, in: transaction)
        var needs = LedgerNeeds()
        for list in lists {
            if let heir = heirs[list] {
                needs.changeRoles(of: account, heir, in: list)
            } else {
                needs.end(list, leaving: account)
            }
        }
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        for list in lists {
            if let heir = heirs[list] {
                ledger.appoint(heir, .owner, in: list)
                ledger.leave(account, list)
            } else {
                ledger.remove(.list(list))
                ledger.end(list)
            }
        }
        return try ledger.write(in: transaction)
    }

    /// The person who becomes the owner; nil if there is none, or the list is deleted.
    private func heir(
        of list: FeedID, _ decision: ListDecision, in transaction: any Transaction
    ) throws -> AccountID? {
        switch decision {
        case .delete: return nil
        case .handOver(let heir):
            return try people(of: list, in: transaction).contains { $0.account == heir } ? heir : nil
        case .handOverToEditor:
            let editors = try people(of: list, in: transaction).filter { $0.role == .editor }.map { $0.account }
            let records = try RecordRow.read(Set(editors.map { .member($0, of: list) }), in: transaction)
            // The stamp of the role is when the person got it.
            return ListHeir.next(
                of: editors.map {
                    let since = records[.member($0, of: list)]?.state.stamps["role"].time
                    return ListHeir(account: $0, role: .editor, since: since)
                })
        }
    }

    /// The other people of a list. People with deleted accounts, who are about to leave it, do not count.
    private func people(
        of list: FeedID, in transaction: any Transaction
    ) throws -> [(account: AccountID, role: Role?)] {
        try transaction.query(
            """
            SELECT account, role FROM access WHERE feed = ? AND account <> ? AND EXISTS (
                SELECT 1 FROM account AS person WHERE person.id = access.account
            ) ORDER BY account
            """, [.id(list), .id(account)]
        ).map { (account: try $0.id(0), role: Role(rawValue: try $0.text(1))) }
    }

    /// “Groceries”, “Trip” and 3 more lists
    private func names(of lists: [FeedID], in transaction: any Transaction) throws -> String {
        let shown = Set(lists.prefix(Self.named).map { RecordPlace.list($0) })
        let names = try RecordRow.read(shown, in: transaction).sorted { $0.key < $1.key }.map {
            "“\($0.value.state.fields["name"]?.text ?? "")”"
        }
        let rest = lists.count - names.count
        return names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more lists" : "")
    }
}
