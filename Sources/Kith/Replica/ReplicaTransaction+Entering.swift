import GRDB
package import KithModel

/// How a device comes to speak for another account.
extension ReplicaTransaction {
    /// Gives the current account the identity of a new session.
    ///
    /// What the userless store holds was made for it. An account whose token has
    /// died, and that the server never told anything, goes on under the new one;
    /// else its data stays behind its wall, and the new account starts empty. So it
    /// does if the session is on another server than the account's.
    package func adopt(_ id: AccountID, at home: ServerIdentity = .unknown) throws {
        let isHome = account.home == home || account.home.verdict(on: home) == .same
        if try account.id == nil || (isHome && !account.hasSyncedRecords(db)) {
            if account.id != nil {
                try outbox.renumber()
                account.takeNewDevice(dependencies.makeID())
                account.token = nil
                try db.execute(sql: "DELETE FROM feed WHERE account = ?", arguments: [account.key])
                try doubtWhatWasSentBeside()
            }
            account.id = id
            account.home = home
            account.state = .anonymous
            // The attempts are counted on: a server that gives sessions and takes none is not asked in a storm.
            account.schedule.retryAt = nil
            account.error = nil
        } else {
            try enter(id, as: .anonymous, at: home)
        }
    }

    /// Makes another account the current one, writing it down if it is new here.
    /// Observers hear its lists and contacts come and the others go.
    ///
    /// The userless store has no `id`. The account belongs to the server `home`; nil leaves that as it is.
    package func enter(_ id: AccountID?, as state: SessionState, at home: ServerIdentity? = nil) throws {
        guard !isPinned else { throw KithError.pinned }
        try noteAll()
        let before = try contents()
        if !account.isDropped {
            // No new session opens in its place any more.
            if account.id != nil && account.state == .initial { account.state = .invalidToken }
            try account.save(db)
            left.append(account.key)
        }
        let device: DeviceID = dependencies.makeID()
        var next =
            try ReplicaAccount.at(id.map(AccountScope.account) ?? .userless, db)
            ?? ReplicaAccount.insert(id: id, state: state, device: device, db)
        next.state = state
        if let home { next.home = home }
        try next.makeCurrent(db)
        account = next
        for list in try SharedList.fetchAll(db, next.key) where listsBefore[list.id] == nil {
            listsBefore[list.id] = .some(nil)
        }
        // Of a list that both are in, the two may have read more or less.
        let after = try contents()
        let both = Set(before.lists).intersection(after.lists)
        switched.items = Difference.all(
            before.items.filter { both.contains($0.listID) }, after.items.filter { both.contains($0.listID) },
            by: { .item($0.id, in: $0.listID) })
        switched.members = Difference.all(
            before.members.filter { both.contains($0.listID) }, after.members.filter { both.contains($0.listID) },
            by: { .member($0.id, of: $0.listID) })
    }

    /// Sees to it that there is a userless store: the first session took over what was there before.
    func makeUserlessStore(as state: SessionState = .loggedOut) throws {
        guard try ReplicaAccount.at(.userless, db) == nil else { return }
        _ = try ReplicaAccount.insert(id: nil, state: state, device: dependencies.makeID(), db)
    }

    /// Makes the userless store the current one if a client of one store has dropped the one that was, in `state` if it is
    /// made for that.
    func keepOneCurrent(as state: SessionState) throws {
        guard try !Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE isCurrent)")! else { return }
        try makeUserlessStore(as: state)
        try db.execute(sql: "UPDATE account SET isCurrent = (id IS NULL)")
    }

    /// What observers see of the current account; nothing if nobody listens.
    private func contents() throws -> (lists: [ListID], items: [ListItem], members: [Member]) {
        guard announcesBulk else { return ([], [], []) }
        let lists = try SharedList.fetchAll(db, account.key).map(\.id)
        let members = try lists.flatMap { try Member.fetchAll(db, account.key, of: $0) }
        return (lists, try ListItem.fetchShown(db, account.key), members)
    }
}

extension KithError {
    static let pinned = KithError(
        .refused, "This client works in one store only. Make one without `account` to change the session.")
}

/// One record as it was and as it is; nil where there is none.
struct Difference<Record: Sendable & Hashable> {
    var before: Record?
    var after: Record?

    /// What differs between two readings, in the order of the later one.
    static func all(_ before: [Record], _ after: [Record], by key: (Record) -> RecordKey) -> [Self] {
        var old = Dictionary(before.map { (key($0), $0) }) { first, _ in first }
        let changed = after.compactMap { record -> Self? in
            let was = old.removeValue(forKey: key(record))
            return was == record ? nil : Self(before: was, after: record)
        }
        return changed + before.filter { old[key($0)] != nil }.map { Self(before: $0, after: nil) }
    }
}
