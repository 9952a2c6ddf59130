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
/// It is read when somebody first asks, in the background, and kept in memory.
/// From then on its sources are watched as long as somebody holds this address book or its client: when one changes it is read again, and
/// those who listen hear the difference. What is shown is never taken away for that: contacts stay
/// readable while they are being read again, and when they cannot be.
///
/// What can be read at any time, on any thread, answers at once from the contacts as they are shown:
/// ``contacts``, ``sections``, ``contact(_:)``, ``suggestions(for:limit:)`` … What is shown changes on the main actor only,
/// in the moment in which subscribers hear of it.
public final class AddressBook: Sendable {
    /// Everything that changes, behind one lock.
    struct State {
        var machine = AddressBookMachine()
        /// What is shown; nil before anything was read.
        var book: ContactBook?
        /// The sources, oldest first.
        var sources: [OpenSource] = []
        var decisions = LinkDecisions()
        /// The region that the user chose.
        var ownRegion: Region?
        var order = NameOrder.familyFirst
        /// Who is on the service, as far as the current account has found out.
        var matches = ContactMatches.none
        var subscribers = Subscribers()
        /// What is to be done before the address book is first loaded.
        var beginning: (@Sendable () async -> Void)?
        /// Shows the people that the current account has found.
        var showing: Task<Void, Never>?
        /// Counts listeners, sources and those who wait: a number is never given twice.
        var numbers = 0
        var listeners: [Int: ChangeListener] = [:]
        var statusListeners: [Int: AsyncStream<[SourceStatus]>.Continuation] = [:]
        /// What reads each source just now, by the source's number.
        var readings: [Int: Task<Void, Never>] = [:]
        /// What slow sources gave, for the next load to show.
        var late: [Finding] = []
        var waiting: [Int: (ticket: AddressBookMachine.Ticket, continuation: CheckedContinuation<Void, Never>)] = [:]
        /// What rings when the machine wants to be woken.
        var timer: (until: Timestamp, task: Task<Void, Never>)?
    }

    /// What the address book takes from outside.
    package struct Dependencies: Sendable {
        var world: Kith.Dependencies
        var phoneNumbers: (any PhoneNumberParser)?
        /// Where numbers are dialled as long as the user has not said so.
        var region: Region?
        var locale: Locale
        /// Whether accounts are shown as they are kept on the device, and not asked.
        var isOffline: Bool
        /// How many changes a listener may leave unread before it is ended.
        var unreadChanges: Int
        /// How often accounts are asked for changes while nobody watches.
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
    /// One choice of the user's is kept at a time.
    let turn = AsyncLock()

    /// How long a source that could not be read is let alone at most.
    public static let longestPause = AddressBookMachine.longestPause

    /// - Parameters:
    ///   - credentials: Where the accounts' passwords are kept.
    ///   - dependencies: What the book takes from outside.
    ///   - open: Opens the store. If it fails, the book has no contacts and ``loaded()`` throws what it threw.
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

    /// What is kept on the device.
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

    /// Where a damaged file of the address book was moved when this client was opened; nil if it was sound.
    public var damagedFile: URL? { try? store.movedAside }

    // MARK: Reading

    /// The contacts in order; nil while they are not loaded, and asking loads them.
    ///
    /// Empty only if there are none. While they are loaded again, and when that fails, these are the contacts as they were.
    public var contacts: [Contact]? { asked()?.contacts }

    /// The contacts under their letters; none while they are not loaded, and asking loads them.
    public var sections: [Section] { asked()?.sections ?? [] }

    /// The contacts as they are in their sources now: what was asked for has been read when this returns.
    ///
    /// If a source cannot be read, its contacts are those from before.
    ///
    /// - Throws: ``KithError`` if nothing can be shown, the first source's: `denied`, `notFound`, `forbidden`, `unreadable`,
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

    /// Has all sources read again, as when somebody pulls the list down.
    public func reload() { note(.reload) }

    /// What is shown, for somebody who asks for the contacts.
    @discardableResult
    func asked() -> ContactBook? {
        guard (try? store) != nil else { return nil }
        note(.asked)
        return state.withLock(\.book)
    }

    /// Something has happened that the machine should know.
    func note(_ event: AddressBookMachine.Event) {
        let now = dependencies.world.now()
        obey(state.withLock { $0.machine.handle(event, at: now) })
    }

    /// Returns when what the ticket is for is answered, or the task is cancelled.
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

/// A source of the address book, and what it held when it was last read.
struct OpenSource: Sendable {
    /// Tells it from an earlier one of the same name.
    let number: Int
    var status: AddressBook.SourceStatus
    var source: any AddressBookSource
    /// The cards; nil before any were read.
    var cards: [FiledCard]?
    /// Where their numbers are dialled.
    var region: Region?
    var watcher: Task<Void, Never>?

    init(_ number: Int, _ status: AddressBook.SourceStatus, _ source: any AddressBookSource) {
        (self.number, self.status, self.source) = (number, status, source)
    }

    var id: AddressBook.SourceID { status.id }
}

/// Somebody who hears of changes in a stream.
struct ChangeListener {
    let continuation: AsyncStream<Changed<AddressBook.Contact>>.Continuation
    /// Whether it was told what there is.
    var isTold: Bool
}
