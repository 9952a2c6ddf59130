import Foundation
import Kith
public import KithCards
import Synchronization

extension AddressBook {
    // MARK: Sources

    /// The sources and their states, oldest first.
    ///
    /// The order counts: a person who is in several sources is shown under the name that the oldest source has.
    public var sources: [SourceStatus] { loader.state.withLock(\.statuses) }

    /// Adds a source, which is opened again at each start. One that is there already is not added again: it takes the new
    /// password. An account is there already if it is, for its server, the same one under another address.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - name: What to call it; nil for the name of the file or the account.
    ///   - password: The account's, which is kept where the tokens are.
    /// - Returns: What the source is called from now on.
    /// - Throws: `KithError`: `invalid` where there can be no such source; `diskFull`, `database` if it cannot be kept.
    @discardableResult
    public func addSource(
        _ location: SourceLocation, name: String? = nil, password: String? = nil
    ) async throws -> SourceID {
        try await turn.withLock {
            let location = location.standardized
            if let known = sources.first(where: { $0.location?.isSamePlace(as: location) == true }) {
                try renew(known, password)
                return known.id
            }
            let name = name ?? location.name
            let id = try await loader.store.addSource(location, name: name)
            do {
                if let password { try loader.credentials.save(password, for: .source(id.rawValue)) }
                let source = try open(location, id)
                if let known = await account(that: source) {
                    try await forget(id)
                    try renew(known, password)
                    return known.id
                }
                add(source, SourceStatus(id: id, name: name, location: location))
            } catch {
                try await forget(id)
                throw error
            }
            return id
        }
    }

    /// The source that is the same account as this one, as their server says.
    private func account(that source: any AddressBookSource) async -> SourceStatus? {
        guard let account = source as? CardDAVSource else { return nil }
        for known in loader.state.withLock(\.sources) {
            guard let other = known.source as? CardDAVSource, other.hasHost(of: account) else { continue }
            if await account.isSame(as: other) { return known.status }
        }
        return nil
    }

    /// Gives an existing source a new password.
    private func renew(_ known: SourceStatus, _ password: String?) throws {
        guard let password, let location = known.location else { return }
        try loader.credentials.save(password, for: .source(known.id.rawValue))
        reopen(known.id, try open(location, known.id))
    }

    /// Adds a source that the app has created. The app adds it again after each start.
    ///
    /// - Parameters:
    ///   - source: The source. It replaces another source with this id.
    ///   - id: Its id, which should be the same each time, as what was linked by hand is kept by it.
    ///   - name: What to call it.
    public func addSource(_ source: any AddressBookSource, id: SourceID, name: String) {
        add(source, SourceStatus(id: id, name: name, location: nil))
    }

    /// Replaces a source by one of the same place, which keeps the cards.
    private func reopen(_ id: SourceID, _ source: any AddressBookSource) {
        let watcher = loader.state.withLock { state in
            let watcher = state.source(id)?.watcher
            state.update(id) { ($0.source, $0.watcher) = (source, nil) }
            return watcher
        }
        watcher?.cancel()
        loader.note(.changed(id))
    }

    private func add(_ source: any AddressBookSource, _ status: SourceStatus) {
        loader.state.withLock { $0.add(source, status) }?.watcher?.cancel()
        loader.note(.added(status.id))
    }

    /// Removes a source with its contacts, its password, and what was said by hand of its cards. The contacts are gone when
    /// this returns.
    ///
    /// - Throws: `KithError`: `notFound` if there is none; `diskFull`, `database` if that cannot be kept.
    public func removeSource(_ id: SourceID) async throws {
        _ = try source(id)
        try await turn.withLock {
            try await forget(id)
            for task in loader.state.withLock({ $0.remove(id) }) { task.cancel() }
        }
        loader.note(.removed(id))
        await loader.answered(\.arrangement)
    }

    private func forget(_ id: SourceID) async throws {
        try await loader.store.removeSource(id)
        try await SourceLocation.forget(
            id: id.rawValue, database: loader.store.database, credentials: loader.credentials)
    }

    /// Adds cards to a source, durably. One whose uid and name are there already is left out. They are shown when this returns.
    ///
    /// - Returns: How many were new.
    /// - Throws: `KithError`: `notFound` if there is no such source; `forbidden` if it cannot be written, `diskFull` if it
    ///   is full, `offline` if it cannot be reached, `refused` if it takes no such card, `busy` if others keep changing it.
    public func add(_ cards: [VCard], to id: SourceID) async throws -> Int {
        let new: Int
        do {
            new = try await source(id).add(cards).count
        } catch {
            // Some cards may have been added before the failure.
            loader.note(.changed(id))
            throw error
        }
        if new > 0 {
            loader.note(.changed(id))
            await loader.answered { $0.reading(of: id) }
        }
        return new
    }

    /// Writes an edited card back to its file, folder or account, and changes only the bytes of what was edited.
    ///
    /// ```swift
    /// let original = try await book.vCard(of: card)
    /// var edited = original
    /// edited.apply(content)  // a Card, as the user has edited it
    /// try await book.save(edited, editedFrom: original, of: card)
    /// ```
    ///
    /// What another program has changed in the card meanwhile is kept: the two edits are merged, property by property. An
    /// edit of an account's card is on the disk when this returns, and is sent when the server can be reached. If the server
    /// does not take it then, it becomes one of the source's faults until the card is saved again; saving the card
    /// unchanged gives the edit up.
    ///
    /// - Parameters:
    ///   - edited: The card with the edit.
    ///   - original: The card as ``vCard(of:)`` returned it.
    ///   - card: The card of a contact.
    /// - Returns: The card's reference from now on, and whether the source has the edit. If it has, the edit is shown when
    ///   this returns; if not, a moment later.
    /// - Throws: `KithError`: `conflict`, caused by a ``CardConflict``, if another program has changed the same properties;
    ///   `notFound` if the card or its source is gone; `forbidden` if the source cannot be written; `invalid` or `refused`
    ///   if it does not take the card; `diskFull`, `busy` …
    @discardableResult
    public func save(
        _ edited: VCard, editedFrom original: VCard, of card: SourcedCard
    ) async throws -> SavedCard {
        let saved = try await source(card.source).save(edited, editedFrom: original, as: card.reference)
        await showEdit(of: card.source, isSent: saved.isSent)
        return saved
    }

    /// Removes a card from its file, folder or account. A contact of several cards keeps the others.
    ///
    /// - Parameters:
    ///   - card: The card of a contact.
    ///   - original: The card as ``vCard(of:)`` returned it.
    /// - Returns: Whether the source has removed it; if not, it does when its server can be reached.
    /// - Throws: As ``save(_:editedFrom:of:)``; `conflict` if another program has changed the card since it was read.
    @discardableResult
    public func remove(_ card: SourcedCard, asRead original: VCard) async throws -> Bool {
        let isSent = try await source(card.source).remove(original, as: card.reference)
        await showEdit(of: card.source, isSent: isSent)
        return isSent
    }

    /// Reads a source again after an edit. One that could not be reached shows what the device keeps of it.
    private func showEdit(of id: SourceID, isSent: Bool) async {
        if !isSent {
            loader.state.withLock { state in
                let number = state.nextNumber()
                state.update(id) { $0.unshownEdit = number }
            }
        }
        loader.note(.changed(id))
        if isSent { await loader.answered { $0.reading(of: id) } }
    }

    package func source(_ id: SourceID) throws -> any AddressBookSource {
        if let source = loader.state.withLock({ $0.source(id)?.source }) { return source }
        throw KithError(.notFound, "There is no source “\(id)” in the address book. It may have been removed.")
    }
}

extension AddressBook {
    /// Opens the sources of earlier starts.
    func openStoredSources() {
        for stored in loader.storedSources {
            add(open(stored), SourceStatus(id: stored.id, name: stored.name, location: stored.location))
        }
    }

    /// The source of an earlier start; if it cannot be opened, one that says why whenever it is to be read.
    private func open(_ stored: AddressBookStore.StoredSource) -> any AddressBookSource {
        do {
            guard let location = stored.location else {
                throw KithError(.invalid, "“\(stored.name)” was added by a newer version of this app. Update the app.")
            }
            return try open(location, stored.id)
        } catch {
            return UnopenedSource(error: error)
        }
    }

    private func open(_ location: SourceLocation, _ id: SourceID) throws -> any AddressBookSource {
        try location.open(
            id: id.rawValue, database: loader.store.database, credentials: loader.credentials, pace: pace,
            isOffline: loader.dependencies.isOffline)
    }
}
