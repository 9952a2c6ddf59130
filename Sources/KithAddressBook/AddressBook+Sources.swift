import Foundation
import Kith
public import KithCards
import Synchronization

extension AddressBook {
    // MARK: Sources

    /// The sources, oldest first, and how each of them is.
    ///
    /// The order counts: where the same person is in several, the oldest source says under which name they are shown.
    public var sources: [SourceStatus] { state.withLock { $0.sources.map(\.status) } }

    /// Adds a source, which is opened again at each start. One that is there already is not added again: it takes the new
    /// password. An account is there already if it is, for its server, the same one under another address.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - name: What to call it; nil for the name of the file or the account.
    ///   - password: The account's, which is kept where the tokens are.
    /// - Returns: What the source is called from now on.
    /// - Throws: ``KithError``: `invalid` where there can be no such source; `diskFull`, `database` if it cannot be kept.
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
            let id = try await store.addSource(location, name: name)
            do {
                if let password { try credentials.save(password, for: .source(id.rawValue)) }
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

    /// The account that is a source already and that its server calls the same as this one.
    private func account(that source: any AddressBookSource) async -> SourceStatus? {
        guard let account = source as? CardDAVSource else { return nil }
        for known in state.withLock(\.sources) {
            guard let other = known.source as? CardDAVSource, other.hasHost(of: account) else { continue }
            if await account.isSame(as: other) { return known.status }
        }
        return nil
    }

    /// Has a source that is there already use a new password.
    private func renew(_ known: SourceStatus, _ password: String?) throws {
        guard let password, let location = known.location else { return }
        try credentials.save(password, for: .source(known.id.rawValue))
        reopen(known.id, try open(location, known.id))
    }

    /// Adds a source that the app has made. It is not opened at the next start: the app adds it again.
    ///
    /// - Parameters:
    ///   - source: The source. It takes the place of another with this id.
    ///   - id: Its id, which should be the same each time, as what was linked by hand is kept by it.
    ///   - name: What to call it.
    public func addSource(_ source: any AddressBookSource, id: SourceID, name: String) {
        add(source, SourceStatus(id: id, name: name, location: nil))
    }

    /// Puts another source in the place of one that keeps its cards, as it is the same place.
    private func reopen(_ id: SourceID, _ source: any AddressBookSource) {
        let watcher = state.withLock { state in
            guard let index = state.sources.firstIndex(where: { $0.id == id }) else { return nil as Task<Void, Never>? }
            defer { state.sources[index].watcher = nil }
            state.sources[index].source = source
            return state.sources[index].watcher
        }
        watcher?.cancel()
        note(.changed(id))
    }

    func add(_ source: any AddressBookSource, _ status: SourceStatus) {
        let replaced = state.withLock { state in
            defer { tellStatuses(&state) }
            state.numbers += 1
            let source = OpenSource(state.numbers, status, source)
            guard let index = state.sources.firstIndex(where: { $0.id == status.id }) else {
                state.sources.append(source)
                return nil as OpenSource?
            }
            defer { state.sources[index] = source }
            return state.sources[index]
        }
        replaced?.watcher?.cancel()
        note(.added(status.id))
    }

    /// Removes a source with its contacts, its password, and what was said by hand of its cards. The contacts are gone when
    /// this returns.
    ///
    /// - Throws: ``KithError``: `notFound` if there is none; `diskFull`, `database` if that cannot be kept.
    public func removeSource(_ id: SourceID) async throws {
        _ = try source(id)
        try await turn.withLock {
            try await forget(id)
            let (watcher, reading) = state.withLock { state in
                let source = state.sources.first { $0.id == id }
                state.sources.removeAll { $0.id == id }
                state.decisions.forget(id)
                tellStatuses(&state)
                return (source?.watcher, source.flatMap { state.readings[$0.number] })
            }
            watcher?.cancel()
            reading?.cancel()
        }
        note(.removed(id))
        await answered(\.arrangement)
    }

    private func forget(_ id: SourceID) async throws {
        try await store.removeSource(id)
        try await SourceLocation.forget(id: id.rawValue, database: store.database, credentials: credentials)
    }

    /// Adds cards to a source, durably. One whose uid and name are there already is left out. They are shown when this returns.
    ///
    /// - Returns: How many were new.
    /// - Throws: ``KithError``: `notFound` if there is no such source; `forbidden` if it cannot be written, `diskFull` if it
    ///   is full, `offline` if it cannot be reached, `refused` if it takes no such card, `busy` if others keep changing it.
    public func add(_ cards: [VCard], to id: SourceID) async throws -> Int {
        let new: Int
        do {
            new = try await source(id).add(cards).count
        } catch {
            // Some may have been added before it failed.
            note(.changed(id))
            throw error
        }
        if new > 0 {
            note(.changed(id))
            await answered { $0.reading(of: id) }
        }
        return new
    }

    package func source(_ id: SourceID) throws -> any AddressBookSource {
        if let source = state.withLock({ $0.sources.first { $0.id == id }?.source }) { return source }
        throw KithError(.notFound, "There is no source “\(id)” in the address book. It may have been removed.")
    }
}

extension AddressBook {
    /// The source of an earlier start; if it cannot be opened, one that says why whenever it is to be read.
    func open(_ stored: AddressBookStore.StoredSource) -> any AddressBookSource {
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
        let source = try location.open(id: id.rawValue, database: store.database, credentials: credentials, pace: pace)
        return dependencies.isOffline && location.isRemote ? CachedSource(source: source) : source
    }
}

/// An account that is not asked for anything: it holds what is kept of it on the device.
private struct CachedSource: AddressBookSource {
    let source: any AddressBookSource

    func load(_ progress: LoadProgress) async throws -> SourceContents {
        if let cached = try await source.cached() { return cached }
        throw KithError(.offline, "It was never read. Repeat this without staying offline.")
    }

    func changes() -> AsyncStream<Void> { AsyncStream { _ in } }
    func vCard(_ reference: CardReference) async throws -> VCard { try await source.vCard(reference) }
    func add(_ cards: [VCard]) async throws -> [CardReference] {
        throw KithError(.offline, "This needs the account's server. Repeat it without staying offline.")
    }
}

/// A source that could not be opened.
private struct UnopenedSource: AddressBookSource {
    let error: any Error

    func load(_ progress: LoadProgress) async throws -> SourceContents { throw error }
    func changes() -> AsyncStream<Void> { AsyncStream { _ in } }
    func vCard(_ reference: CardReference) async throws -> VCard { throw error }
    func add(_ cards: [VCard]) async throws -> [CardReference] { throw error }
}

extension AddressBook.SourceLocation {
    /// Whether it is on another machine.
    var isRemote: Bool { if case .cardDAV = self { true } else { false } }

    /// What to call a source that nobody has named.
    fileprivate var name: String {
        switch self {
        case .vCardFile(let url): url.deletingPathExtension().lastPathComponent
        case .folder(let url): url.lastPathComponent
        case .cardDAV(let url, let user, _): url.host().map { "\(user) at \($0)" } ?? user
        case .device: "Contacts"
        }
    }
}
