import GRDB
public import KithModel

extension Changes {
    // MARK: Reading

    /// The items of a list, in their order.
    public func items(in list: ListID) throws -> [ListItem] {
        try ListItem.fetchAll(of: list, in: transaction.store)
    }

    /// The item with this identity; nil if there is none.
    ///
    /// The device that creates an item chooses its identity, so items of two lists may have the same one. In that case
    /// pass the list, here and in every other call that takes an item's identity.
    ///
    /// - Throws: ``KithError`` with `invalid` if no list is given and several lists have such an item.
    public func item(_ id: ItemID, in list: ListID? = nil) throws -> ListItem? {
        try ListItem.fetch(id, of: list, in: transaction.store)
    }

    private func existing(_ id: ItemID, in list: ListID?) throws -> ListItem {
        guard let item = try item(id, in: list) else {
            throw KithError(.notFound, "There is no such item: \(id). It may have been removed.")
        }
        return item
    }

    // MARK: Items

    /// Adds an item at the end of a list. Needs no server.
    ///
    /// An item with an `id` from the app is added only once: if the list already has an item with this identity, that
    /// item is returned unchanged. Items of different lists may share an identity.
    ///
    /// - Throws: ``KithError`` with `notFound`, `forbidden` or `invalid`; with `removed` if the item of this identity was
    ///   removed.
    @discardableResult
    public func add(
        _ title: String, to list: ListID, count: Int = 1, category: String? = nil, comment: String? = nil,
        offer: String? = nil, id: ItemID? = nil
    ) throws -> ListItem {
        let draft = ItemDraft(
            title: title, count: count, category: category, comment: comment, offer: offer, id: id)
        guard let item = try add([draft], to: list).first else {
            throw KithError.removed(.item(id ?? makeID(), in: list))
        }
        return item
    }

    /// Adds items at the end of a list, in their order: an import.
    ///
    /// A draft with an `id` is added once: an existing item stays unchanged, and a removed one is left out.
    ///
    /// - Returns: The items of the drafts, without those that were removed.
    @discardableResult
    public func add(_ drafts: [ItemDraft], to list: ListID) throws -> [ListItem] {
        let rights = Rights(role: try existing(list).role)
        var last = try lastPosition(in: list)
        return try drafts.compactMap { draft in
            if let id = draft.id {
                switch try place(of: .item(id, in: list)) {
                case .free: break
                case .used: return try item(id, in: list)
                case .removed: return nil
                }
            }
            let item = try add(draft, to: list, after: last, by: rights)
            last = item.position
            return item
        }
    }

    private func add(_ draft: ItemDraft, to list: ListID, after last: IndexKey?, by rights: Rights) throws -> ListItem {
        let id: ItemID = draft.id ?? makeID()
        let item = ListItem(
            id: id, listID: list, title: draft.title, count: draft.count, isTicked: draft.isTicked,
            position: try position(of: id, in: list, after: last), category: draft.category, comment: draft.comment,
            offer: draft.offer, modified: transaction.now)
        let schema = ListItem.schema
        // A field that has its default value is not sent.
        let fields = item.fields.filter { $0.value != FieldValue.null && $0.value != schema[$0.key]?.standard }
        let key = RecordKey.item(item.id, in: list)
        try edit(key, .set(fields), creating: draft.id == nil ? .newID : .anyID, by: rights)
        return item
    }

    /// The key of a new item behind the last one. If it would be too long, some items before it get new keys.
    private func position(of id: ItemID, in list: ListID, after last: IndexKey?) throws -> IndexKey {
        if let key = IndexKey.between(last, nil), key.text.utf8.count <= Limits.indexKey { return key }
        let items = try items(in: list)
        var position = IndexKey.first
        for (placed, key) in Arrangement(items.map { ($0.id, $0.position) }).placing(id, after: items.last?.id) ?? [] {
            if placed == id { position = key } else { try set(.item(placed, in: list), ["position": .text(key.text)]) }
        }
        return position
    }

    private func lastPosition(in list: ListID) throws -> IndexKey? {
        try DirectStatement(
            """
            SELECT position FROM item WHERE account = ? AND list = ? AND NOT removed
            ORDER BY position DESC, id DESC LIMIT 1
            """, transaction.db
        ).first(transaction.account.key, list) { IndexKey($0.text(0)) } ?? nil
    }

    /// Changes the current state of an item. Fields that `change` does not touch keep the values that others may have
    /// set since.
    ///
    /// - Throws: ``KithError`` with `notFound`, `forbidden` or `invalid`; whatever `change` throws.
    public func update(_ id: ItemID, in list: ListID? = nil, _ change: (inout ListItem) throws -> Void) throws {
        guard var item = try item(id, in: list) else { throw Self.notUpdated(id) }
        try change(&item)
        try update(item)
    }

    /// Writes the fields that differ from the stored item. If `item` is older than another person's edit, this writes
    /// the old value back; ``update(_:in:_:)`` does not.
    ///
    /// - Throws: ``KithError`` with `notFound`, `forbidden` or `invalid`.
    public func update(_ item: ListItem) throws {
        guard let shown = try self.item(item.id, in: item.listID)?.fields else { throw Self.notUpdated(item.id) }
        try set(.item(item.id, in: item.listID), item.fields.filter { shown[$0.key] != $0.value })
    }

    private static func notUpdated(_ id: ItemID) -> KithError {
        .notUpdated(.items, id.retyped(), creator: "add(_:to:count:category:comment:offer:id:)")
    }

    /// Adds to an item's count, or subtracts from it. Additions by several people are summed.
    public func increase(_ id: ItemID, in list: ListID? = nil, by amount: Int) throws {
        let item = try existing(id, in: list)
        let (sum, isBeyond) = item.count.addingReportingOverflow(amount)
        guard !isBeyond, Limits.count.contains(Int64(sum)) else {
            throw KithError(
                .invalid, "The count cannot grow from \(item.count) by \(amount); it goes from 1 to 9,999.",
                field: "count")
        }
        let key = RecordKey.item(id, in: item.listID)
        // The stored sum can lie outside of the range, for instance after two people have each taken 4 of 5. The addition
        // begins at the count that is shown.
        let stored = try transaction.record(key)?.fields["count"]?.integer
        let gap = stored.map { Int64(item.count) - $0 } ?? 0
        try edit(key, .edit(set: [:], add: ["count": Int64(amount) + gap]))
    }

    /// Ticks or unticks an item.
    public func setTicked(_ id: ItemID, in list: ListID? = nil, _ isTicked: Bool) throws {
        try tick(existing(id, in: list), isTicked)
    }

    private func tick(_ item: ListItem, _ isTicked: Bool) throws {
        guard item.isTicked != isTicked else { return }
        try edit(.item(item.id, in: item.listID), .set(["ticked": .flag(isTicked)]))
    }

    /// Moves an item to the place after `predecessor` in its list, or to the first place if `predecessor` is nil.
    public func move(_ id: ItemID, in list: ListID? = nil, after predecessor: ItemID?) throws {
        let item = try existing(id, in: list)
        let left = try predecessor.map { try existing($0, in: list) }
        if left.map({ $0.listID != item.listID || $0.id == id }) ?? false {
            throw KithError(.invalid, "An item can only be put after another one of its list.")
        }
        let right = try next(after: left, in: item.listID, except: id)
        if let key = IndexKey.between(left?.position, right), key.text.utf8.count <= Limits.indexKey {
            return try set(.item(id, in: item.listID), ["position": .text(key.text)])
        }
        // Two devices inserted at this place at the same time, or the keys grew too long: some items get new keys.
        let order = Arrangement(try items(in: item.listID).map { ($0.id, $0.position) })
        for (moved, key) in order.placing(id, after: predecessor) ?? [] {
            try set(.item(moved, in: item.listID), ["position": .text(key.text)])
        }
    }

    private func next(after left: ListItem?, in list: ListID, except id: ItemID) throws -> IndexKey? {
        let sql = """
            SELECT position FROM item WHERE account = ? AND list = ? AND NOT removed AND id <> ?
            \(left == nil ? "" : "AND (position, id) > (?, ?)") ORDER BY position, id LIMIT 1
            """
        var arguments: StatementArguments = [transaction.account.key, list, id]
        if let left { arguments += [left.position.text, left.id] }
        return try String.fetchOne(transaction.db.cachedStatement(sql: sql), arguments: arguments)
            .flatMap { IndexKey($0) }
    }

    /// Removes an item.
    ///
    /// - Returns: The value to pass to ``undo(_:)``.
    @discardableResult
    public func remove(_ id: ItemID, in list: ListID? = nil) throws -> Removal {
        try remove([existing(id, in: list)])
    }

    /// Removes several items of a list together.
    ///
    /// - Returns: The value to pass to ``undo(_:)``.
    @discardableResult
    public func remove(_ ids: [ItemID], in list: ListID) throws -> Removal {
        try remove(ids.map { try existing($0, in: list) })
    }

    /// Removes all items; the list stays.
    @discardableResult
    public func removeAllItems(in list: ListID) throws -> Removal {
        try remove(items(in: existing(list).id))
    }

    /// Removes all ticked items.
    @discardableResult
    public func removeTicked(in list: ListID) throws -> Removal {
        try remove(items(in: existing(list).id).filter(\.isTicked))
    }

    private func remove(_ items: [ListItem]) throws -> Removal {
        let keys = items.map { RecordKey.item($0.id, in: $0.listID) }
        let removal = try Removal(keys, transaction)
        for key in keys { try delete(key) }
        keep(removal)
        return removal
    }

    /// Unticks every item of a list.
    ///
    /// - Returns: How many items were ticked.
    @discardableResult
    public func untickAll(in list: ListID) throws -> Int {
        let ticked = try items(in: existing(list).id).filter(\.isTicked)
        for item in ticked { try tick(item, false) }
        return ticked.count
    }
}
