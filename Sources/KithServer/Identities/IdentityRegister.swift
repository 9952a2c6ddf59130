package import KithModel

/// The register of the numbers and emails by which accounts can be found. Each change is made within the caller's
/// transaction.
///
/// An identity belongs to one account. Discoverable identities are evaluated under every key. Each change has the next
/// sequence of the key, in the order of the commits. Only adding or removing an identity needs the secret keys.
/// Changing whether an account is found, and deleting it, do not.
///
/// An account with an identity is identified: see ``AccountKind``. The register stores the kind of each account that gains
/// or loses an identity.
package struct IdentityRegister: Sendable {
    private let keys: DiscoveryKeys?
    private let now: Timestamp

    /// A register for changes at this time. Adding or removing identities needs the secret keys.
    package init(keys: DiscoveryKeys? = nil, at now: Timestamp) { (self.keys, self.now) = (keys, now) }

    /// The result of adding an identity.
    package enum Addition: Hashable, Sendable {
        case added, moved
        /// The identity already belonged to the account.
        case present
    }

    // MARK: Changing

    /// Assigns an identity to an account.
    ///
    /// - Parameters:
    ///   - identity: The number or email.
    ///   - account: The account to assign it to.
    ///   - moving: Whether to take it from another account that has it.
    ///   - transaction: The transaction of the change.
    /// - Returns: The result.
    /// - Throws: ``ServerError``: `notFound` if the account does not exist; `conflict` if another has the identity;
    ///   `tooMany`; `busy` if the secret of a key is missing here.
    package func add(
        _ identity: Identity, to account: AccountID, moving: Bool = false, in transaction: any Transaction
    ) throws -> Addition {
        // This must happen before anyone is discoverable, because the first key then needs no preparation.
        try KeyRow.insertMissing(secrets(), at: now, in: transaction)
        try AccountLock.take([account], in: transaction)
        guard try AccountLock.exists(account, in: transaction) else {
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
        // If another account gets the identity at the same moment, the insertion fails: nothing is moved unasked.
        try transaction.insert(
            into: "identity", ["value", "account", "created"],
            [[.text(identity.text), .id(account), .time(now)]], replacing: owner == nil ? [] : ["value"])
        try IdentityNews.add(identity, in: transaction)
        try SignUps.record(account, at: now, in: transaction)
        for changed in [account, owner].compactMap(\.self) { try AccountKind.update(of: changed, in: transaction) }
        let isHidden = try isHidden(account, in: transaction)
        try record(identity, of: account, isGone: isHidden, in: transaction)
        return owner == nil ? .added : .moved
    }

    /// Removes an identity from its account.
    ///
    /// - Parameters:
    ///   - identity: The number or email.
    ///   - account: The only account that it is removed from; nil for any. In PostgreSQL, another transaction may move an
    ///     identity at any moment before its row is deleted.
    ///   - transaction: The transaction of the change.
    /// - Throws: ``ServerError``: `busy` if the secret of a key is missing here.
    /// - Returns: Whether the identity had an account, or this one.
    @discardableResult
    package func remove(
        _ identity: Identity, of account: AccountID? = nil, in transaction: any Transaction
    ) throws -> Bool {
        let condition = account == nil ? "" : " AND account = ?"
        let owner: AccountID? = try transaction.query(
            "DELETE FROM identity WHERE value = ?\(condition) RETURNING account",
            [.text(identity.text)] + (account.map { [SQLValue.id($0)] } ?? [])
        ).first?.id(0)
        guard let owner else { return false }
        try AccountKind.update(of: owner, in: transaction)
        try record(identity, of: nil, isGone: true, in: transaction)
        return true
    }

    /// Sets whether the account is found, according to its profile.
    package func set(isFound: Bool, _ account: AccountID, in transaction: any Transaction) throws {
        if isFound { try restore(account, in: transaction) } else { try withdraw(account, in: transaction) }
    }

    /// Makes the account undiscoverable by all of its identities, including those added later.
    package func withdraw(_ account: AccountID, in transaction: any Transaction) throws {
        try AccountLock.take([account], in: transaction)
        if try isHidden(account, in: transaction) { return }
        try transaction.insert(into: "hidden", ["account"], [[.id(account)]])
        try change(account, in: transaction) { $0.isGone = true }
    }

    /// Makes the account discoverable by all of its identities.
    package func restore(_ account: AccountID, in transaction: any Transaction) throws {
        try AccountLock.take([account], in: transaction)
        guard try isHidden(account, in: transaction) else { return }
        try transaction.execute("DELETE FROM hidden WHERE account = ?", [.id(account)])
        try change(account, in: transaction) { $0.isGone = false }
    }

    /// Deletes all data of a deleted account.
    package func remove(_ account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM identity WHERE account = ?", [.id(account)])
        try transaction.execute("DELETE FROM hidden WHERE account = ?", [.id(account)])
        try change(account, in: transaction) { $0.leave() }
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

    /// The oldest emails of an account, oldest first; at most `limit`.
    ///
    /// Notices about an account go to these, because somebody who has taken over the account can add emails, but no
    /// older ones.
    func oldestEmails(of account: AccountID, _ limit: Int, in transaction: any Transaction) throws -> [Identity] {
        try transaction.query(
            "SELECT value FROM identity WHERE account = ? AND value LIKE 'mailto:%' ORDER BY created, value LIMIT ?",
            [.id(account), .integer(Int64(limit))]
        ).compactMap { Identity(try $0.text(0)) }
    }

    /// Whether an account does not want to be found by its identities.
    func isHidden(_ account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM hidden WHERE account = ?", [.id(account)])
    }

    // MARK: Evaluating

    /// All secret keys, as they are now. Call it within the transaction.
    ///
    /// A process that adds a key writes the file first, and then the database. So with SQLite, whose transactions follow one
    /// another, the database has no key that these lack.
    private func secrets() throws -> [DiscoveryKey] { try keys?.all() ?? [] }

    /// Stores, under every key, the account of an identity; nil for none.
    private func record(
        _ identity: Identity, of account: AccountID?, isGone: Bool, in transaction: any Transaction
    ) throws {
        let secrets = try secrets()
        try KeyRow.insertMissing(secrets, at: now, in: transaction)
        try KeyRow.require(secrets, at: now, in: transaction)
        // Always in the order of their ids, so that two transactions never wait for each other.
        for key in secrets.sorted(by: { $0.id < $1.id }) {
            guard let output = key.output(of: identity) else { continue }
            try Evaluation.write(
                [Evaluation(output, of: account, isGone: isGone)], under: key.id, at: now, in: transaction)
        }
    }

    /// Changes all evaluations of an account, under every key.
    private func change(
        _ account: AccountID, in transaction: any Transaction, _ body: (inout Evaluation) -> Void
    ) throws {
        for key in try KeyRow.all(in: transaction).sorted(by: { $0.id < $1.id }) {
            let before = try Evaluation.all(of: account, under: key.id, in: transaction)
            let after = before.map { evaluation in
                var evaluation = evaluation
                body(&evaluation)
                return evaluation
            }
            let changed = zip(before, after).filter { $0 != $1 }.map(\.1)
            try Evaluation.write(changed, under: key.id, at: now, in: transaction)
        }
    }
}
