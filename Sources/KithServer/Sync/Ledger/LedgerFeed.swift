import KithModel

/// A feed of a ledger: as it was read, and with the changes that are about to be written.
struct LedgerFeed: Sendable {
    /// The feed as it was read; nil if it is new.
    let before: FeedRow?
    /// The feed with the changes.
    var row: FeedRow
    /// The roles of a list's people as they were read: those of everybody, or only that of the caller.
    let rolesBefore: [AccountID: Role]
    /// The roles with the changes.
    var roles: [AccountID: Role]
    /// The owner as it was read; nil if the feed is new, or nobody has access to it.
    let ownerBefore: AccountID?

    /// A feed that was read. The owner of an account's own feed is the account.
    init(_ row: FeedRow, owner: AccountID? = nil, roles: [AccountID: Role] = [:]) {
        (before, self.row) = (row, row)
        (rolesBefore, self.roles) = (roles, roles)
        ownerBefore = row.kind == .account ? row.id.retyped() : owner
    }

    /// A new list.
    init(newList id: FeedID, at now: Timestamp) {
        (before, row) = (nil, FeedRow(id: id, kind: .list, writtenAt: now))
        (rolesBefore, roles) = ([:], [:])
        ownerBefore = nil
    }

    /// Whether it has a new sequence.
    var hasMoved: Bool { row.sequence != before?.sequence }

    /// The owner after the changes. If the owner's role was not read, it has not changed.
    var owner: AccountID? {
        if let owner = roles.first(where: { $0.value == .owner })?.key { return owner }
        return ownerBefore.flatMap { rolesBefore[$0] == nil ? $0 : nil }
    }
}
