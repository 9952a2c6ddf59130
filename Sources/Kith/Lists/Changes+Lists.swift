public import KithModel

extension Changes {
    // MARK: Reading

    /// My lists, in their order.
    public func all() throws -> [SharedList] {
        try SharedList.fetchAll(in: transaction.store)
    }

    /// The list with this identity; nil if I cannot see one.
    public func list(_ id: ListID) throws -> SharedList? {
        try SharedList.fetch(id, in: transaction.store)
    }

    /// The list with this identity.
    ///
    /// - Throws: ``KithError`` with `notFound`.
    func existing(_ id: ListID) throws -> SharedList {
        guard let list = try list(id) else { throw KithError.missing(.list(id)) }
        return list
    }

    // MARK: Lists

    /// Creates a list. I own it; nobody else sees it until I share it.
    ///
    /// A list with an `id` from the app is created only once: if I am in a list with this identity, that list is
    /// returned unchanged.
    ///
    /// - Throws: ``KithError`` with `invalid` if a text is empty or too long; with `removed` if the list with this
    ///   identity was removed, or if I am no longer in it.
    @discardableResult
    public func create(
        _ name: String, kind: String = SharedList.standardKind, theme: String? = nil, id: ListID? = nil
    ) throws -> SharedList {
        if let id {
            switch try place(of: .list(id)) {
            case .free: break
            case .used: if let list = try list(id) { return list } else { fallthrough }
            case .removed: throw KithError.removed(.list(id))
            }
        }
        let id: ListID = id ?? makeID()
        let list = SharedList(id: id, name: name, kind: kind, theme: theme, modified: transaction.now)
        try edit(.list(id), .set(list.fields.filter { $0.value != .null }), creating: .anyID)
        return try existing(id)
    }

    /// Changes the current state of a list. Fields that `change` does not touch keep the values that others may have
    /// set since.
    ///
    /// - Throws: ``KithError`` with `notFound`, `forbidden` or `invalid`; whatever `change` throws.
    public func update(_ id: ListID, _ change: (inout SharedList) throws -> Void) throws {
        guard var list = try list(id) else { throw Self.notUpdated(id) }
        try change(&list)
        try update(list)
    }

    /// Writes those of the list's name, kind and theme that differ from what is shown. If `list` is older than another
    /// person's edit, this writes the old value back; ``update(_:_:)`` does not.
    ///
    /// - Throws: ``KithError`` with `notFound`, `forbidden` or `invalid`.
    public func update(_ list: SharedList) throws {
        // A field that the record lacks is shown with its default, which nobody has chosen.
        guard let shown = try self.list(list.id)?.fields else { throw Self.notUpdated(list.id) }
        try set(.list(list.id), list.fields.filter { shown[$0.key] != $0.value })
    }

    private static func notUpdated(_ id: ListID) -> KithError {
        .notUpdated(.lists, id.retyped(), creator: "create(_:kind:theme:id:)")
    }

    /// Removes a list with all its items, for everyone. Only its owner can do this.
    ///
    /// - Returns: The value to pass to ``undo(_:)``.
    @discardableResult
    public func remove(_ id: ListID) throws -> Removal {
        let items = try items(in: existing(id).id)
        let removal = try Removal([.list(id)] + items.map { .item($0.id, in: id) }, transaction)
        // If the server has confirmed the list, its edits stay in the outbox and need not be read.
        let isUnconfirmed = try transaction.record(.list(id))?.sequence == 0
        let inside = try isUnconfirmed ? transaction.outbox.unsent(in: id.retyped()) : []
        let isUnknown = inside.contains { $0.key == .list(id) } && inside.allSatisfy { $0.number == nil }
        try delete(.list(id))
        if isUnknown {
            // The server does not know the list: it is deleted completely.
            let membership = RecordKey.membership(id)
            try transaction.outbox.withdraw(inside + transaction.outbox.unsent(of: membership))
            try transaction.put(nil, membership)
            for item in items { try transaction.put(nil, .item(item.id, in: id)) }
        }
        keep(removal)
        return removal
    }

    /// Moves a list to the place after `predecessor`, or to the first place if `predecessor` is nil.
    public func move(_ id: ListID, after predecessor: ListID?) throws {
        let order = Arrangement(try all().map { ($0.id, $0.position) })
        guard let keys = order.placing(try existing(id).id, after: predecessor) else {
            throw KithError.missing(.list(predecessor ?? id))
        }
        for (list, key) in keys {
            let membership = RecordKey.membership(list)
            if try transaction.record(membership) == nil {
                // The server creates this record together with the list. The list is sent before its position.
                try transaction.put(.ownMembership(at: transaction.now), membership)
            }
            try set(membership, ["position": .text(key.text)])
        }
    }

    // MARK: People

    /// Leaves a list. The owner cannot leave: they hand the list over or remove it.
    ///
    /// - Throws: ``KithError`` with `forbidden` for the owner, or `notFound`.
    public func leave(_ id: ListID) throws {
        if let fault = Member.fault(ofEnding: try existing(id).role) { throw KithError(fault, at: transaction.now) }
        try delete(.membership(id))
    }

    /// The people in a list. Empty until the list is sent for the first time.
    public func members(of id: ListID) throws -> [Member] {
        try Member.fetchAll(of: id, in: transaction.store)
    }

    /// Changes someone's role in a list. Giving the role `owner` hands the list over.
    ///
    /// - Throws: ``KithError`` with `forbidden` if I do not own the list, or if I try to change my own role.
    public func setRole(_ role: Role, of account: AccountID, in list: ListID) throws {
        if account == transaction.account.id {
            throw KithError(.forbidden, "The owner's role cannot be changed. Hand the list over to someone else.")
        }
        try set(.member(account, of: list), ["role": .text(role.rawValue)])
    }

    /// Makes someone in a list its owner, and me an editor.
    public func handOver(_ list: ListID, to account: AccountID) throws {
        try setRole(.owner, of: account, in: list)
    }

    /// Removes someone from a list.
    public func removeMember(_ account: AccountID, from list: ListID) throws {
        if account == transaction.account.id {
            throw KithError(.forbidden, "To go yourself, leave the list, or remove it if it is yours.")
        }
        try delete(.member(account, of: list))
    }

    /// Sets my name in a list; at most 100 characters.
    public func setMyName(_ name: String?, in list: ListID) throws {
        guard let me = transaction.account.id else {
            throw KithError(.unauthorized, "The list has not been sent yet: its people are known after the first sync.")
        }
        try set(.member(me, of: list), ["name": .text(name)])
    }
}
