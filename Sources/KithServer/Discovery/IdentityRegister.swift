package import KithModel

/// Who can be found by which number or email: the changes of it, each within the caller's transaction.
///
/// An identity belongs to one account. What can be found is evaluated under every key, and each change of it has the
/// next sequence of the key, in the order of the commits.
package struct IdentityRegister: Sendable {
    private let keys: [DiscoveryKey]
    private let now: Timestamp

    /// The register under these keys, to be changed now.
    package init(keys: [DiscoveryKey], at now: Timestamp) { (self.keys, self.now) = (keys, now) }

    /// What became of an identity that was to be added.
    package enum Addition: Hashable, Sendable {
        case added, moved
        /// It was the account's already.
        case present
    }

    // MARK: Changing

    /// Makes an identity an account's.
    ///
    /// - Parameters:
    ///   - identity: The number or email.
    ///   - account: Whose it is to be.
    ///   - moving: Whether to take it from another account that has it.
    ///   - transaction: What the change belongs to.
    /// - Returns: What became of it.
    /// - Throws: ``ServerError``: `notFound` if there is no such account; `conflict` if another has the identity; `tooMany`.
    package func add(
        _ identity: Identity, to account: AccountID, moving: Bool = false, in transaction: any Transaction
    ) throws -> Addition {
        // Before anybody is to be found: then the first key needs no making ready.
        try KeyRow.settle(keys, at: now, in: transaction)
        guard try !transaction.query("SELECT 1 FROM account WHERE id = ?", [.id(account)]).isEmpty else {
            throw ServerError(.notFound, "There is no account \(account).")
        }
        let owner = try owner(of: identity, in: transaction)
        if owner == account { return .present }
        if owner != nil, !moving {
            throw ServerError(.conflict, "Another account has \(identity.shown). Say so if it is to be moved.")
        }
        guard try identities(of: account, in: transaction).count < Limits.identities else {
            throw ServerError(
                .tooMany, "The account has \(Limits.identities) numbers and emails already. Remove one first.")
        }
        try transaction.insert(
            into: "identity", ["value", "account", "created"],
            [[.text(identity.text), .id(account), .time(now)]], replacing: ["value"])
        let isHidden = try isHidden(account, in: transaction)
        if !isHidden || owner != nil { try record([(identity, isHidden ? nil : account)], in: transaction) }
        return owner == nil ? .added : .moved
    }

    /// Takes an identity from whoever has it.
    ///
    /// - Returns: Whether anybody had it.
    @discardableResult
    package func remove(_ identity: Identity, in transaction: any Transaction) throws -> Bool {
        let isThere = try !transaction.query(
            "DELETE FROM identity WHERE value = ? RETURNING account", [.text(identity.text)]
        ).isEmpty
        if isThere { try record([(identity, nil)], in: transaction) }
        return isThere
    }

    /// From now on nobody finds the account, by whichever of its identities, those that it gets later included.
    package func withdraw(_ account: AccountID, in transaction: any Transaction) throws {
        if try isHidden(account, in: transaction) { return }
        try transaction.insert(into: "hidden", ["account"], [[.id(account)]])
        try record(try identities(of: account, in: transaction).map { ($0, nil) }, in: transaction)
    }

    /// From now on the account is found by all of its identities.
    package func restore(_ account: AccountID, in transaction: any Transaction) throws {
        guard try isHidden(account, in: transaction) else { return }
        try transaction.execute("DELETE FROM hidden WHERE account = ?", [.id(account)])
        try record(try identities(of: account, in: transaction).map { ($0, account) }, in: transaction)
    }

    /// Forgets all of an account that is deleted.
    package func remove(_ account: AccountID, in transaction: any Transaction) throws {
        let identities = try identities(of: account, in: transaction)
        try transaction.execute("DELETE FROM identity WHERE account = ?", [.id(account)])
        try transaction.execute("DELETE FROM hidden WHERE account = ?", [.id(account)])
        try transaction.execute("DELETE FROM usage WHERE account = ?", [.id(account)])
        try record(identities.map { ($0, nil) }, in: transaction)
    }

    // MARK: Reading

    /// The account that has an identity; nil if none has.
    package func owner(of identity: Identity, in transaction: any Transaction) throws -> AccountID? {
        try transaction.query("SELECT account FROM identity WHERE value = ?", [.text(identity.text)]).first?.id(0)
    }

    /// The identities of an account, sorted.
    package func identities(of account: AccountID, in transaction: any Transaction) throws -> [Identity] {
        try transaction.query("SELECT value FROM identity WHERE account = ? ORDER BY value", [.id(account)])
            .compactMap { Identity(try $0.text(0)) }
    }

    private func isHidden(_ account: AccountID, in transaction: any Transaction) throws -> Bool {
        try !transaction.query("SELECT 1 FROM hidden WHERE account = ?", [.id(account)]).isEmpty
    }

    // MARK: Evaluating

    /// Writes down, under every key that the database knows, whose these identities are now; nil for nobody's.
    private func record(_ changes: [(Identity, AccountID?)], in transaction: any Transaction) throws {
        if changes.isEmpty { return }
        try KeyRow.settle(keys, at: now, in: transaction)
        for key in keys {
            let evaluations = changes.compactMap { identity, account in
                key.output(of: identity).map { Evaluation($0, of: account) }
            }
            // One that is gone needs to be told only where it was told.
            let told = try Evaluation.known(evaluations, under: key.id, in: transaction)
            try Evaluation.write(
                evaluations.filter { $0.account != nil || told.contains($0.output) }, under: key.id, at: now,
                in: transaction)
        }
    }
}

/// What an identity is under a key, and whose; nil for nobody's.
struct Evaluation: Sendable {
    let output: DiscoveryOutput
    let account: AccountID?

    init(_ output: DiscoveryOutput, of account: AccountID?) { (self.output, self.account) = (output, account) }

    /// Those that the database knows under a key.
    fileprivate static func known(
        _ evaluations: [Evaluation], under key: String, in transaction: any Transaction
    ) throws -> Set<DiscoveryOutput> {
        let rows = try transaction.query(
            wanted: ["discovery_key", "prefix", "tag"], evaluations.map { [.text(key)] + $0.place },
            """
            SELECT evaluation.prefix, evaluation.tag FROM wanted CROSS JOIN evaluation
            WHERE evaluation.discovery_key = wanted.discovery_key AND evaluation.prefix = wanted.prefix
                AND evaluation.tag = wanted.tag
            """)
        let places = Set(rows.map(\.values))
        return Set(evaluations.filter { places.contains($0.place) }.map(\.output))
    }

    /// Writes them with the next sequences of the key.
    static func write(
        _ evaluations: [Evaluation], under key: String, at now: Timestamp, in transaction: any Transaction
    ) throws {
        if evaluations.isEmpty { return }
        let last = try transaction.query(
            "UPDATE discovery_key SET sequence = sequence + ? WHERE id = ? RETURNING sequence",
            [.integer(Int64(evaluations.count)), .text(key)]
        ).first?.integer(0)
        guard let last else { return }
        let first = last - Int64(evaluations.count) + 1
        try transaction.insert(
            into: "evaluation", ["discovery_key", "prefix", "tag", "masked", "sequence", "changed", "gone"],
            evaluations.enumerated().map { index, evaluation in
                let masked = evaluation.account.map { evaluation.output.masked($0) } ?? MaskedAccount(high: 0, low: 0)
                return [.text(key)] + evaluation.place + [
                    .bytes(masked.data), .integer(first + Int64(index)), .time(now), .flag(evaluation.account == nil),
                ]
            }, replacing: ["discovery_key", "prefix", "tag"])
    }

    private var place: [SQLValue] {
        [.integer(Int64(bitPattern: output.prefix)), .integer(Int64(bitPattern: output.tag))]
    }
}
