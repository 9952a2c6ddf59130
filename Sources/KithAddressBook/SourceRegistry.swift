import Foundation
import Kith
import KithCards
import KithModel
import Synchronization

/// The sources of an address book: opens, adds, renews and removes them, and writes cards to them.
struct SourceRegistry: Sendable {
    let loader: AddressBookLoader
    let schedule: PollingSchedule

    func source(_ id: SourceID) throws -> any AddressBookSource {
        if let source = loader.state.withLock({ $0.source(id)?.source }) { return source }
        throw KithError(.notFound, "There is no source “\(id)” in the address book. It may have been removed.")
    }

    // MARK: Opening

    /// Opens the sources of earlier starts.
    func openStored() {
        for stored in loader.storedSources { add(open(stored), as: stored) }
    }

    /// Takes over the sources and the region that another process has stored.
    func refresh() throws {
        let stored = try loader.store.sources()
        let region = try loader.store.setting(.region).flatMap { Region($0) }
        let (sources, hasNewRegion) = loader.state.withLock { state in
            defer { state.ownRegion = region }
            return (state.sources, state.ownRegion != region)
        }
        if hasNewRegion { loader.post(.arranged) }
        for source in sources where source.isStored && !stored.contains(where: { $0.id == source.id }) {
            drop(source.id)
        }
        for new in stored {
            let known = sources.first { $0.id == new.id }?.source
            if let known, !(known is UnopenedSource) { continue }
            let source = open(new)
            // The other process stores an account before its password.
            if known == nil || !(source is UnopenedSource) { add(source, as: new) }
        }
    }

    private func add(_ source: any AddressBookSource, as stored: AddressBookStore.StoredSource) {
        add(source, SourceStatus(id: stored.id, name: stored.name, location: stored.location))
    }

    /// A stored source. If it cannot be opened, the result is a source that throws the reason whenever it is read.
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
            id: id.rawValue, database: loader.store.database, credentials: loader.credentials, schedule: schedule,
            isOffline: loader.dependencies.isOffline)
    }

    // MARK: Adding and removing

    /// Implements ``AddressBook/addSource(_:name:password:)``.
    func add(_ location: SourceLocation, name: String?, password: String?) async throws -> SourceID {
        let location = location.standardized
        if let known = loader.state.withLock(\.statuses).first(where: { $0.location?.isSamePlace(as: location) == true }
        ) {
            try renew(known, password)
            return known.id
        }
        let name = name ?? location.name
        let id = try await loader.store.addSource(location, name: name)
        do {
            if let password { try loader.credentials.save(password, for: .source(id.rawValue)) }
            let source = try open(location, id)
            if let known = try await known(source) {
                try await forget(id)
                try renew(known, password)
                return known.id
            }
            add(source, SourceStatus(id: id, name: name, location: location))
        } catch {
            // Not in this task, which may be cancelled. The row goes first: the store of the passwords may be what has failed.
            await Task {
                try? await loader.store.removeSource(id)
                try? await forget(id)
            }.value
            throw error
        }
        return id
    }

    /// The existing source that has the books of this account, or of this one book, according to their server; nil if
    /// there is none.
    ///
    /// - Throws: ``KithError`` with `refused` if there is none, but one book of this account is a source, because its cards
    ///   would be there twice.
    private func known(_ source: any AddressBookSource) async throws -> SourceStatus? {
        guard let account = source as? CardDAVSource else { return nil }
        var part: SourceStatus?
        for known in loader.state.withLock(\.sources) {
            guard let other = known.source as? CardDAVSource, other.hasHost(of: account) else { continue }
            switch await account.relation(to: other) {
            case .same, .bookOfOther: return known.status
            // The account may be a source as well.
            case .accountOfOther: part = part ?? known.status
            case .none: continue
            }
        }
        guard let part else { return nil }
        throw KithError(
            .refused,
            "“\(part.name)” is one address book of this account, so its contacts would be there twice. "
                + "Remove it, then add the account.")
    }

    /// Gives an existing source a new password.
    private func renew(_ known: SourceStatus, _ password: String?) throws {
        guard let password, let location = known.location else { return }
        try loader.credentials.save(password, for: .source(known.id.rawValue))
        reopen(known.id, try open(location, known.id))
    }

    /// Replaces a source with another at the same location, and keeps its cards.
    private func reopen(_ id: SourceID, _ source: any AddressBookSource) {
        let watcher = loader.state.withLock { state in
            let watcher = state.source(id)?.watcher
            state.update(id) { ($0.source, $0.watcher) = (source, nil) }
            return watcher
        }
        watcher?.cancel()
        loader.post(.reopened(id))
    }

    func add(_ source: any AddressBookSource, _ status: SourceStatus) {
        loader.state.withLock { $0.add(source, status) }?.watcher?.cancel()
        loader.post(.added(status.id))
    }

    /// Implements ``AddressBook/removeSource(_:)``.
    func remove(_ id: SourceID) async throws {
        try await forget(id)
        drop(id)
    }

    private func drop(_ id: SourceID) {
        for task in loader.state.withLock({ $0.remove(id) }) { task.cancel() }
        loader.post(.removed(id))
    }

    /// Implements ``AddressBook/removeAllData()``.
    func removeAll() async throws {
        for source in try loader.store.sources() { try await remove(source.id) }
        // A source that was read or edited during its removal may have stored cards again.
        try await loader.store.removeRest()
        loader.state.withLock { state in
            state.decisions = LinkDecisions()
            (state.ownRegion, state.order) = (nil, .familyFirst)
        }
    }

    /// Implements ``AddressBook/unsentEdits(of:)``.
    func unsentEdits(of id: SourceID) async throws -> [UnsentEdit] {
        try await storedEdits(of: id).all().map(\.unsent)
    }

    /// Implements ``AddressBook/discardEdit(of:in:)``.
    func discardEdit(of card: CardReference, in id: SourceID) async throws {
        if let account = try source(id) as? CardDAVSource {
            try await account.discardEdit(of: card)
        } else {
            try await storedEdits(of: id).discard(card.name)
        }
        await showEdit(of: id, isSent: false)
    }

    /// The unsent edits on the disk. An account that cannot be opened has them too.
    private func storedEdits(of id: SourceID) throws -> WaitingEdits {
        WaitingEdits(BookDatabase(writer: try loader.store.database), source: id.rawValue)
    }

    private func forget(_ id: SourceID) async throws {
        // It goes first: after a crash, no password is left without its source.
        try loader.credentials.delete(.source(id.rawValue))
        try await loader.store.removeSource(id)
        try await SourceLocation.forget(
            id: id.rawValue, database: loader.store.database, credentials: loader.credentials)
    }

    // MARK: Cards

    func add(_ cards: [VCard], to id: SourceID) async throws -> AddedCards {
        let added: AddedCards
        do {
            added = try await source(id).add(cards)
        } catch {
            // Some cards may have been added before the failure.
            loader.post(.changed(id))
            throw error
        }
        if !added.references.isEmpty {
            loader.post(.written(id))
            await loader.answered { $0.reading(of: id) }
        }
        return added
    }

    func save(_ edited: VCard, editedFrom original: VCard, of card: SourcedCard) async throws -> SavedCard {
        let saved = try await source(card.source).save(edited, editedFrom: original, as: card.reference)
        await showEdit(of: card.source, isSent: saved.isSent)
        return saved
    }

    func remove(_ card: SourcedCard, asRead original: VCard) async throws -> Bool {
        let isSent = try await source(card.source).remove(original, as: card.reference)
        await showEdit(of: card.source, isSent: isSent)
        return isSent
    }

    /// Reads a source again after an edit. If the edit has not been sent, the device's copy is shown first.
    private func showEdit(of id: SourceID, isSent: Bool) async {
        if !isSent {
            loader.state.withLock { state in
                let number = state.nextNumber()
                state.update(id) { $0.unshownEdit = number }
            }
        }
        loader.post(.written(id))
        if isSent { await loader.answered { $0.reading(of: id) } }
    }
}
