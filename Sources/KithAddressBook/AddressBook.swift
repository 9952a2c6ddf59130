public import Foundation
package import Kith
package import KithModel
import Synchronization

/// The device's own address book: every contact of every source, at once.
///
/// ```swift
/// let book = client.addressBook
/// try await book.addSource(.vCardFile(URL(filePath: "contacts.vcf")))
/// for contact in try await book.loaded() { print(contact.displayName, contact.phones.first?.original ?? "") }
/// for contact in book.suggestions(for: "0664 12") { print(contact.displayName) }
/// ```
///
/// The contacts are loaded in the background when they are first requested, and kept in memory. As long as an app holds
/// the address book or its client, the sources are watched: a changed source is read again, and observers receive the
/// differences. Meanwhile, and if a source cannot be read, the earlier contacts stay readable.
///
/// The getters work on any thread and answer at once: ``contacts``, ``sections``, ``contact(_:)``,
/// ``suggestions(for:limit:)`` … The contacts that they return change only on the main actor, at the moment when
/// subscribers are notified.
public final class AddressBook: Sendable {
    /// The mutable state. One lock protects it.
    struct State {
        var machine = AddressBookMachine()
        /// The contacts that getters return; nil before the first load.
        var book: ContactBook?
        /// The sources, oldest first.
        var sources: [OpenSource] = []
        var decisions = LinkDecisions()
        /// The region that the user chose.
        var ownRegion: Region?
        var order = NameOrder.familyFirst
        /// The accounts of contacts, as far as the current account has found them.
        var matches = ContactMatches.none
        var subscribers = Subscribers()
        /// Runs before the first load.
        var beginning: (@Sendable () async -> Void)?
        /// Shows the people that the current account has found.
        var showing: Task<Void, Never>?
        /// The last number that was given to a listener, a source or a waiting caller. No number is used twice.
        var numbers = 0
        var listeners: [Int: ChangeListener] = [:]
        var statusListeners: [Int: AsyncStream<[SourceStatus]>.Continuation] = [:]
        /// The tasks that read sources at the moment, by the source's number.
        var readings: [Int: Task<Void, Never>] = [:]
        /// Results of slow sources. The next load shows them.
        var late: [Finding] = []
        var waiting: [Int: (ticket: AddressBookMachine.Ticket, continuation: CheckedContinuation<Void, Never>)] = [:]
        /// Wakes the machine at the time that it has requested.
        var timer: (until: Timestamp, task: Task<Void, Never>)?
    }

    /// The dependencies of the address book.
    package struct Dependencies: Sendable {
        var world: Kith.Dependencies
        var phoneNumbers: (any PhoneNumberParser)?
        /// The region of numbers without a country code, if the user has not chosen one.
        var region: Region?
        var locale: Locale
        /// Whether accounts are only read from their cache on the device.
        var isOffline: Bool
        /// The number of unread changes after which a listener is ended.
        var unreadChanges: Int
        /// How often accounts are polled while there are no observers.
        var accountInterval: Duration

        package init(
            world: Kith.Dependencies = .system, phoneNumbers: (any PhoneNumberParser)? = nil, region: Region? = nil,
            locale: Locale = .current, isOffline: Bool = false, unreadChanges: Int = KithClient.unreadChanges,
            accountInterval: Duration = KithConfiguration.accountInterval
        ) {
            (self.world, self.phoneNumbers, self.region) = (world, phoneNumbers, region)
            (self.locale, self.isOffline, self.unreadChanges) = (locale, isOffline, unreadChanges)
            self.accountInterval = accountInterval
        }
    }

    let state: Mutex<State>
    private let opened: Result<AddressBookStore, KithError>
    let credentials: any CredentialStore
    let dependencies: Dependencies
    package let pace: PollingPace
    /// The user's choices are stored one at a time.
    let turn = AsyncLock()

    /// The longest pause before a source that could not be read is read again.
    public static let longestPause = AddressBookMachine.longestPause

    /// - Parameters:
    ///   - credentials: The store of the accounts' passwords.
    ///   - dependencies: The dependencies of the address book.
    ///   - open: Opens the store. If it fails, there are no contacts, and ``loaded()`` throws the same error.
    package init(
        credentials: any CredentialStore, _ dependencies: Dependencies, open: () throws -> AddressBookStore
    ) {
        self.credentials = credentials
        self.dependencies = dependencies
        pace = PollingPace(every: dependencies.accountInterval)
        var (state, sources) = (State(), [AddressBookStore.StoredSource]())
        do {
            let store = try open()
            state.decisions = try store.decisions()
            state.ownRegion = try store.setting(.region).flatMap { Region($0) }
            state.order = try store.setting(.nameOrder).flatMap(NameOrder.init) ?? .familyFirst
            sources = try store.sources()
            opened = .success(store)
        } catch {
            opened = .failure(
                error as? KithError ?? KithError(.database, "The address book cannot be opened.", cause: error))
        }
        self.state = Mutex(state)
        for stored in sources {
            add(self.open(stored), SourceStatus(id: stored.id, name: stored.name, location: stored.location))
        }
    }

    /// The store on the device.
    ///
    /// - Throws: ``KithError`` if it could not be opened: `database`, `diskFull` …
    var store: AddressBookStore { get throws { try opened.get() } }

    deinit {
        state.withLock { state in
            state.timer?.task.cancel()
            state.showing?.cancel()
            for source in state.sources { source.watcher?.cancel() }
            for listener in state.listeners.values { listener.continuation.finish() }
            for listener in state.statusListeners.values { listener.finish() }
        }
    }

    /// Where a damaged file of the address book was moved when this client was opened; nil if it was intact.
    public var damagedFile: URL? { try? store.movedAside }

    // MARK: Reading

    /// The contacts in order; nil before the first load, which this call starts.
    ///
    /// It is empty only if there are no contacts. During a later load, and if that fails, these are the earlier contacts.
    public var contacts: [Contact]? { asked()?.contacts }

    /// The contacts by their first letters; empty before the first load, which this call starts.
    public var sections: [Section] { asked()?.sections ?? [] }

    /// The contacts that the sources have now. Returns when every source has been read.
    ///
    /// If a source cannot be read, its earlier contacts are returned.
    ///
    /// - Throws: `KithError` if there is nothing to return, with the error of the first source: `denied`, `notFound`, `forbidden`, `unreadable`,
    ///   `offline`, `unauthorized`, `refused`, `tooMany`, `busy`; `CancellationError` if the task is cancelled.
    public func loaded() async throws -> [Contact] { try await loadedBook().contacts }

    /// As ``loaded()``.
    func loadedBook() async throws -> ContactBook {
        _ = try store
        if asked() == nil || !state.withLock({ $0.machine.isAnswered($0.machine.ticket) }) {
            await answered(\.ticket)
        }
        try Task.checkCancellation()
        let (book, statuses) = state.withLock { ($0.book, $0.sources.map(\.status)) }
        if let book { return book }
        if let error = statuses.lazy.compactMap(\.error).first { throw error }
        throw CancellationError()
    }

    /// Reads all sources again: “pull to refresh”.
    public func reload() { note(.reload) }

    /// The shown contacts. Starts a load if one is due.
    @discardableResult
    func asked() -> ContactBook? {
        guard (try? store) != nil else { return nil }
        note(.asked)
        return state.withLock(\.book)
    }

    /// Hands an event to the machine, and does what it decides.
    func note(_ event: AddressBookMachine.Event) {
        let now = dependencies.world.now()
        obey(state.withLock { $0.machine.handle(event, at: now) })
    }

    /// Returns when the request of this ticket is answered, or the task is cancelled.
    func answered(_ ticket: @Sendable (AddressBookMachine) -> AddressBookMachine.Ticket) async {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    let ticket = ticket(state.machine)
                    if state.machine.isAnswered(ticket) || Task.isCancelled { return false }
                    state.waiting[number] = (ticket, continuation)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number)?.continuation }?.resume()
        }
    }
}

/// A stream of changes.
struct ChangeListener {
    let continuation: AsyncStream<Changed<AddressBook.Contact>>.Continuation
    /// Whether it has received the first state.
    var isTold: Bool
}
