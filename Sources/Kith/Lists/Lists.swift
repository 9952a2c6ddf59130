public import KithModel

/// My lists: `client.lists`.
///
/// Getters return values. Changing a value has no effect until it is passed to an update. Every edit is first written
/// on the device without a server, is visible in getters at once, and is sent by the next round. Errors are
/// ``KithError``s: `notFound`, `forbidden` and `invalid` before anything is written; `diskFull` if the write fails.
///
/// Methods that need the server say so. They also throw `noServer` if the client has none, `offline` or `busy` if it
/// does not answer, `unauthorized` if it does not accept the session, and `otherServer` if it is not the account's
/// server.
public struct Lists: Sendable {
    let client: KithClient

    // MARK: Lists

    /// My lists, in their order.
    ///
    /// Reads the store of the current account, or the store of `scope`.
    public func all(within scope: AccountScope? = nil) async throws -> [SharedList] {
        try await client.replica.read(within: scope) { try SharedList.fetchAll(in: $0.store) } ?? []
    }

    /// The list with this identity; nil if I cannot see one.
    public func list(_ id: ListID) async throws -> SharedList? {
        try await client.replica.read { try SharedList.fetch(id, in: $0.store) }
    }

    /// Creates a list. I own it; nobody else sees it until I share it.
    ///
    /// A list with an `id` from the app is created only once: see ``Changes/create(_:kind:theme:id:)``.
    @discardableResult
    public func create(
        _ name: String, kind: String = SharedList.standardKind, theme: String? = nil, id: ListID? = nil
    ) async throws -> SharedList {
        try await client.edit { try $0.create(name, kind: kind, theme: theme, id: id) }
    }

    /// Creates a list with these items, in their order, as an import does. If anything fails, nothing is created.
    @discardableResult
    public func create(
        _ name: String, kind: String = SharedList.standardKind, theme: String? = nil, with drafts: [ItemDraft]
    ) async throws -> SharedList {
        try await client.edit { changes in
            let list = try changes.create(name, kind: kind, theme: theme)
            try changes.add(drafts, to: list.id)
            return list
        }
    }

    /// Changes the current state of a list. Fields that `change` does not touch keep the values that others may have
    /// set since.
    public func update(_ id: ListID, _ change: @escaping @Sendable (inout SharedList) throws -> Void) async throws {
        try await client.edit { try $0.update(id, change) }
    }

    /// Writes the name, kind and theme of a list. If `list` is older than another person's edit, this writes the old value
    /// back; ``update(_:_:)`` does not.
    public func update(_ list: SharedList) async throws {
        try await client.edit { try $0.update(list) }
    }

    /// Removes a list with all its items, for everyone. Only its owner can do this.
    @discardableResult
    public func remove(_ id: ListID) async throws -> Removal {
        try await client.edit { try $0.remove(id) }
    }

    /// Moves a list to the place after `predecessor`, or to the first place if `predecessor` is nil.
    public func move(_ id: ListID, after predecessor: ListID?) async throws {
        try await client.edit { try $0.move(id, after: predecessor) }
    }

    /// Whether a round has ever read everything from the server, so that the result can be read here.
    ///
    /// Asks about the current account, or the account of `scope`.
    public func hasSynced(within scope: AccountScope? = nil) async throws -> Bool {
        try await client.replica.read(within: scope) { $0.account.isPopulated } ?? false
    }

    // MARK: Items

    /// The items of a list, in their order.
    ///
    /// Reads the store of the current account, or the store of `scope`.
    public func items(in list: ListID, within scope: AccountScope? = nil) async throws -> [ListItem] {
        try await client.replica.read(within: scope) { try ListItem.fetchAll(of: list, in: $0.store) } ?? []
    }

    /// The item with this identity; nil if there is none. If several lists have one, pass the list.
    public func item(_ id: ItemID, in list: ListID? = nil) async throws -> ListItem? {
        try await client.replica.read { try ListItem.fetch(id, of: list, in: $0.store) }
    }

    /// The item of a list that was created from this offer.
    public func item(offer: String, in list: ListID) async throws -> ListItem? {
        try await client.replica.read { try ListItem.fetch(offer: offer, of: list, in: $0.store) }
    }

    /// Adds an item at the end of a list.
    ///
    /// An item with an `id` from the app is added only once: see
    /// ``Changes/add(_:to:count:category:comment:offer:id:)``.
    @discardableResult
    public func add(
        _ title: String, to list: ListID, count: Int = 1, category: String? = nil, comment: String? = nil,
        offer: String? = nil, id: ItemID? = nil
    ) async throws -> ListItem {
        try await client.edit {
            try $0.add(title, to: list, count: count, category: category, comment: comment, offer: offer, id: id)
        }
    }

    /// Adds items at the end of a list, in their order, as an import does. Drafts with an `id` are added only once.
    @discardableResult
    public func add(_ drafts: [ItemDraft], to list: ListID) async throws -> [ListItem] {
        try await client.edit { try $0.add(drafts, to: list) }
    }

    /// Changes the current state of an item. Fields that `change` does not touch keep the values that others may have
    /// set since.
    public func update(
        _ id: ItemID, in list: ListID? = nil, _ change: @escaping @Sendable (inout ListItem) throws -> Void
    ) async throws {
        try await client.edit { try $0.update(id, in: list, change) }
    }

    /// Writes the fields that differ from the stored item. If `item` is older than another person's edit, this writes
    /// the old value back; ``update(_:in:_:)`` does not.
    public func update(_ item: ListItem) async throws {
        try await client.edit { try $0.update(item) }
    }

    /// Adds to an item's count, or subtracts from it. Additions by several people are summed.
    public func increase(_ id: ItemID, in list: ListID? = nil, by amount: Int) async throws {
        try await client.edit { try $0.increase(id, in: list, by: amount) }
    }

    /// Ticks or unticks an item.
    public func setTicked(_ id: ItemID, in list: ListID? = nil, _ isTicked: Bool) async throws {
        try await client.edit { try $0.setTicked(id, in: list, isTicked) }
    }

    /// Moves an item to the place after `predecessor` in its list, or to the first place if `predecessor` is nil.
    public func move(_ id: ItemID, in list: ListID? = nil, after predecessor: ItemID?) async throws {
        try await client.edit { try $0.move(id, in: list, after: predecessor) }
    }

    /// Removes an item. Getters do not return it any more.
    @discardableResult
    public func remove(_ id: ItemID, in list: ListID? = nil) async throws -> Removal {
        try await client.edit { try $0.remove(id, in: list) }
    }

    /// Removes several items of a list together.
    @discardableResult
    public func remove(_ ids: [ItemID], in list: ListID) async throws -> Removal {
        try await client.edit { try $0.remove(ids, in: list) }
    }

    /// Removes all items; the list stays.
    @discardableResult
    public func removeAllItems(in list: ListID) async throws -> Removal {
        try await client.edit { try $0.removeAllItems(in: list) }
    }

    /// Removes all ticked items.
    @discardableResult
    public func removeTicked(in list: ListID) async throws -> Removal {
        try await client.edit { try $0.removeTicked(in: list) }
    }

    /// Unticks every item of a list, and returns how many were ticked.
    @discardableResult
    public func untickAll(in list: ListID) async throws -> Int {
        try await client.edit { try $0.untickAll(in: list) }
    }

    /// Restores removed records. If the removal was already sent, a copy is created. See ``Changes/undo(_:)``.
    @discardableResult
    public func undo(_ removal: Removal) async throws -> Restoration {
        try await client.edit { try $0.undo(removal) }
    }

    /// Finds items that look the same. Nothing is merged until you call ``merge(_:)``.
    public func duplicates(in list: ListID) async throws -> [Duplicate] {
        try await client.replica.read { Duplicate.find(in: try ListItem.fetchAll(of: list, in: $0.store)) }
    }

    /// Merges several items into one, as a group of edits: the server applies all of the merge, or refuses it as a whole if
    /// somebody else has merged or removed one of the items meanwhile.
    ///
    /// The counts add up, each comment becomes a line of the comment, and the others are removed. A category is taken from the
    /// others if the item has none. An item whose count or comment no longer fits stays. See ``Changes/merge(_:)``.
    ///
    /// - Returns: The item that stays in place of all.
    @discardableResult
    public func merge(_ duplicate: Duplicate) async throws -> ListItem {
        try await client.write { try $0.merge(duplicate) }
    }

    // MARK: Stores

    /// Moves lists from one store to another, all or none.
    ///
    /// If `lists` is nil, every list moves. The accounts may belong to different servers.
    ///
    /// A list that its server knows is copied, including unsent edits. Then the original is removed, or left if I do
    /// not own it. If another device has changed the list since this one last read it, the server refuses the removal: the
    /// original stays, with the change, and the source account gets a ``Rejection`` with the code `changed`. If the source
    /// account can no longer send, because its token is invalid or it was deleted, the original is deleted only from this
    /// device. It comes back if the account signs in again, and edits that the server may have received are then sent from
    /// there.
    ///
    /// - Returns: The old and the new identity of each list. A list that was never sent keeps its identity.
    /// - Throws: ``KithError`` with `notFound` if the device has no such list or account, `refused` if the target
    ///   account was deleted.
    @discardableResult
    public func moveLists(
        _ lists: [ListID]? = nil, from: AccountScope, to: AccountScope
    ) async throws -> [ListID: ListID] {
        try await client.transact { try ListMove(from: from, to: to, in: $0).move(lists) }
    }
}

extension Lists {
    // MARK: Who is in a list

    /// The people in a list. Empty until the list is sent for the first time.
    ///
    /// Reads the store of the current account, or the store of `scope`.
    public func members(of list: ListID, within scope: AccountScope? = nil) async throws -> [Member] {
        try await client.replica.read(within: scope) { try Member.fetchAll(of: list, in: $0.store) } ?? []
    }

    /// Changes someone's role in a list. Giving the role `owner` hands the list over.
    public func setRole(_ role: Role, of account: AccountID, in list: ListID) async throws {
        try await client.edit { try $0.setRole(role, of: account, in: list) }
    }

    /// Makes someone in a list its owner, and me an editor.
    public func handOver(_ list: ListID, to account: AccountID) async throws {
        try await client.edit { try $0.handOver(list, to: account) }
    }

    /// Removes someone from a list. They cannot join again by an invitation link until ``letIn(_:to:)`` allows it.
    public func removeMember(_ account: AccountID, from list: ListID) async throws {
        try await client.edit { try $0.removeMember(account, from: list) }
    }

    /// Sets my name in a list; at most 100 characters.
    public func setMyName(_ name: String?, in list: ListID) async throws {
        try await client.edit { try $0.setMyName(name, in: list) }
    }

    /// Leaves a list. The owner cannot leave: they hand the list over or remove it.
    public func leave(_ list: ListID) async throws {
        try await client.edit { try $0.leave(list) }
    }

    // MARK: Links

    /// Creates an invitation link. Anyone who accepts it joins the list in this role. Needs the server.
    ///
    /// Waiting edits are sent first, so that the server knows the list. Without a `duration` the link can be accepted
    /// for 14 days.
    ///
    /// - Returns: The link, with its `url`. The server returns the `url` only this once.
    /// - Throws: ``KithError`` with `notFound` if I do not own the list; `refused` for the role `owner`, or for a
    ///   `duration` of less than a second or more than 365 days; `tooMany` at `Limits.links` valid links of the list.
    public func invite(to list: ListID, as role: Role, expiresIn duration: Duration? = nil) async throws -> ListLink {
        let request = LinkRequest(role: role, expiresIn: duration.map { $0.milliseconds / 1000 })
        return try await client.requests.afterRound { try await $0.createLink(request, to: list) }
    }

    /// Creates a link that lets anyone read the list without joining it. Needs the server.
    ///
    /// Without a `duration` the link is valid until it is revoked.
    ///
    /// With `canTick`, they may also tick items on the link's web page. On a wish list (`SharedList.isWishList`), a tick
    /// says “I give this”: others with the link see that the item is taken, and the people in the list never do. Do not open
    /// the page yourself then. On another list, it is the tick of the item.
    ///
    /// - Throws: ``KithError`` with `notFound` if I do not own the list; `refused` for a `duration` of less than a
    ///   second or more than 365 days; `tooMany` at `Limits.links` valid links of the list.
    public func publish(
        _ list: ListID, canTick: Bool = false, expiresIn duration: Duration? = nil
    ) async throws -> ListLink {
        let request = LinkRequest(
            role: .viewer, expiresIn: duration.map { $0.milliseconds / 1000 }, isPublic: true,
            canTick: canTick ? true : nil)
        let link = try await client.requests.afterRound { try await $0.createLink(request, to: list) }
        // Read the list's new access now. If that fails, the next round reads it; the error must not lose the link.
        try? await client.syncNow()
        return link
    }

    /// The valid links of a list that I own, without their secrets. Needs the server.
    ///
    /// - Throws: ``KithError`` with `notFound` if I do not own the list.
    public func links(of list: ListID) async throws -> [ListLink] {
        try await client.requests.withSession { try await $0.links(of: list) }
    }

    /// Revokes a link. It cannot be used to join or read the list any more. People who joined with it stay. Needs the
    /// server.
    ///
    /// - Throws: ``KithError`` with `notFound` if I do not own the list, or if it has no such link.
    public func revoke(_ link: LinkID, of list: ListID) async throws {
        try await client.requests.withSession { try await $0.revoke(link, of: list) }
        try? await client.syncNow()
    }

    /// Fetches what an invitation link offers, before it is accepted. Needs the server.
    ///
    /// `link` is the complete link, or the secret at its end.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is no such link, or if it has expired or was revoked;
    ///   `otherServer` if it belongs to a different server from this client's.
    public func preview(link: String) async throws -> LinkPreview {
        try await client.send(about: link) { try await $0.preview($1) }
    }

    /// Accepts an invitation link. Returns when the list can be read here. Needs the server.
    ///
    /// - Throws: ``KithError`` as ``preview(link:)``, with `notFound` also for a public link; `forbidden` if the owner has
    ///   removed me from the list; `refused` if I own it; `tooMany` at `Limits.members` people in the list, or
    ///   `Limits.lists` lists of mine.
    @discardableResult
    public func accept(link: String) async throws -> SharedList {
        let acceptance = try await client.accept(link) { try await $0.accept($1) }
        guard let list = try await list(acceptance.list) else { throw KithError.missing(.list(acceptance.list)) }
        return list
    }

    /// Fetches the list that a public link shows. Needs the server.
    ///
    /// - Throws: ``KithError`` as ``preview(link:)``, with `notFound` also for an invitation.
    public func publicList(link: String) async throws -> PublicList {
        try await client.send(about: link) { try await $0.publicList($1) }
    }
}

extension Lists {
    /// The people that the owner has removed from a list, most recently removed first. Needs the server.
    ///
    /// They cannot join by an invitation link until ``letIn(_:to:)`` allows it. People who left are not included.
    ///
    /// - Throws: ``KithError`` with the code `notFound` if I do not own the list.
    public func removedPeople(of list: ListID) async throws -> [RemovedPerson] {
        try await client.requests.afterRound { try await $0.removedPeople(of: list) }
    }

    /// Lets a removed person join the list again by an invitation link. Needs the server.
    ///
    /// - Throws: ``KithError`` with the code `notFound` if I do not own the list, or the person is not removed from it.
    public func letIn(_ account: AccountID, to list: ListID) async throws {
        try await client.requests.afterRound { try await $0.letIn(account, to: list) }
    }
}

extension KithClient {
    /// My lists.
    public var lists: Lists { Lists(client: self) }
}

// MARK: - Signals

extension Lists {
    /// Changes of my lists. The stream first sends the current lists (origin `state`), then each change once, as soon
    /// as it can be read.
    ///
    /// When the first round has written everything, one signal has ``Changed/isPopulated`` set. The stream ends if its
    /// listener is ``KithClient/unreadChanges`` changes behind. To go on, call `changes()` again.
    public func changes() -> AsyncStream<Changed<SharedList>> {
        client.signals { try SharedList.fetchAll(in: $0) }
    }

    /// Changes of the items in all my lists. If a list is removed, its items are not reported.
    public func itemChanges() -> AsyncStream<Changed<ListItem>> {
        client.signals { try ListItem.fetchShown(in: $0) }
    }

    /// Changes of the people in my lists.
    public func memberChanges() -> AsyncStream<Changed<Member>> {
        client.signals { try Member.fetchAll(in: $0) }
    }

    // MARK: Live queries

    /// My lists, now and after each change. The stream ends if the replica cannot be read; any getter then throws the
    /// reason.
    public func live() -> AsyncStream<[SharedList]> {
        client.replica.live { try SharedList.fetchAll(in: $0.store) }
    }

    /// The items of a list, now and after each change. The stream ends if the replica cannot be read; any getter then
    /// throws the reason.
    ///
    /// ```swift
    /// for await items in client.lists.liveItems(in: groceries.id) { show(items) }
    /// ```
    public func liveItems(in list: ListID) -> AsyncStream<[ListItem]> {
        client.replica.live { try ListItem.fetchAll(of: list, in: $0.store) }
    }
}
