import Foundation
import Kith
import KithModel
import Synchronization

/// Loads the address book's contacts: carries out the decisions of ``AddressBookMachine``, and reports events to it.
final class AddressBookLoader: Sendable {
    let state: Mutex<LoaderState>
    let dependencies: AddressBookDependencies
    let credentials: any CredentialStore
    /// The sources of earlier starts.
    let storedSources: [AddressBookStore.StoredSource]
    private let opened: Result<AddressBookStore, KithError>

    /// - Parameters:
    ///   - credentials: The store of the accounts' passwords.
    ///   - dependencies: The dependencies of the address book.
    ///   - open: Opens the store. If it fails, ``store`` throws its error, and nothing is loaded.
    init(
        credentials: any CredentialStore, _ dependencies: AddressBookDependencies, open: () throws -> AddressBookStore
    ) {
        (self.credentials, self.dependencies) = (credentials, dependencies)
        var state = LoaderState()
        do {
            let store = try open()
            state.decisions = try store.decisions()
            state.ownRegion = try store.setting(.region).flatMap { Region($0) }
            state.order = try store.setting(.nameOrder).flatMap(NameOrder.init) ?? .familyFirst
            storedSources = try store.sources()
            opened = .success(store)
        } catch {
            storedSources = []
            opened = .failure(
                error as? KithError ?? KithError(.database, "The address book cannot be opened.", cause: error))
        }
        self.state = Mutex(state)
    }

    deinit {
        state.withLock { state in
            state.timer?.task.cancel()
            state.showing?.cancel()
            for source in state.sources { source.watcher?.cancel() }
            for listener in state.listeners.values { listener.continuation.finish() }
            for listener in state.statusListeners.values { listener.finish() }
        }
    }

    /// The store on the device.
    ///
    /// - Throws: ``KithError`` if it could not be opened: `database`, `diskFull` …
    var store: AddressBookStore { get throws { try opened.get() } }

    /// The region of numbers without a country code: the user's choice, else the default.
    var region: Region? { state.withLock(\.ownRegion) ?? dependencies.region }

    /// The reader of numbers.
    var reader: PhoneReader { PhoneReader(parser: dependencies.phoneNumbers, region: region) }

    // MARK: Requests

    /// The shown contacts. Starts a load if one is due.
    @discardableResult
    func asked() -> ContactBook? {
        guard (try? store) != nil else { return nil }
        post(.asked)
        return state.withLock(\.book)
    }

    /// The current contacts of the sources: see ``AddressBook/loaded()``.
    func loaded() async throws -> ContactBook {
        _ = try store
        if asked() == nil || !state.withLock({ $0.machine.isAnswered($0.machine.ticket) }) {
            await answered(\.ticket)
        }
        try Task.checkCancellation()
        let (book, statuses) = state.withLock { ($0.book, $0.statuses) }
        if let book { return book }
        if let error = statuses.lazy.compactMap(\.error).first { throw error }
        throw CancellationError()
    }

    /// Returns when the shown contacts include all decisions up to now.
    func arranged() async {
        post(.arranged)
        await answered(\.arrangement)
    }

    /// Passes an event to the machine, and carries out its decision.
    func post(_ event: AddressBookMachine.Event) {
        let now = dependencies.world.now()
        obey(state.withLock { $0.machine.handle(event, at: now) })
    }

    /// Returns when the request of this ticket is answered or the task is cancelled.
    func answered(_ ticket: @Sendable (AddressBookMachine) -> AddressBookMachine.Ticket) async {
        let number = state.withLock { $0.nextNumber() }
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

    // MARK: The machine's decisions

    private func obey(_ action: AddressBookMachine.Action) {
        switch action {
        case .load(let due): Task { await self.load(due) }
        case .wait(let until): wake(at: until)
        case .rest: break
        }
    }

    private func wake(at time: Timestamp) {
        state.withLock { state in
            if state.timer?.until == time { return }
            state.timer?.task.cancel()
            state.timer = (time, dependencies.world.wake(at: time) { [weak self] in self?.ring(time) })
        }
    }

    private func ring(_ time: Timestamp) {
        state.withLock { state in if state.timer?.until == time { state.timer = nil } }
        post(.tick)
    }

    // MARK: One load

    /// Reads all due sources in parallel, arranges the cards of all sources, and shows them.
    private func load(_ due: Set<SourceID>) async {
        let beginning = state.withLock { state in
            defer { state.beginning = nil }
            return state.beginning
        }
        await beginning?()
        let (sources, late) = state.withLock { $0.beginLoad(of: due) }
        let dueSources = sources.filter { due.contains($0.id) }
        for source in dueSources where source.watcher == nil { watch(source) }
        let reader = self.reader
        var result = LoadResult()
        result.readings = await readings(of: dueSources, by: reader)
        for reading in late { result.readings.append(await reading.reindexed(by: reader)) }
        for source in sources where !result.readings.contains(where: { $0.source.number == source.number }) {
            if due.contains(source.id) {
                result.readings.append(SourceReading(source: source, result: .slow))
            } else if source.region != reader.region {
                result.readings.append(
                    await SourceReading(source: source, cards: source.cards, region: source.region).reindexed(
                        by: reader))
            }
        }
        await arrange(&result, sources)
        await show(result)
        await result.book?.tables.prepare()
    }

    /// The readings that end within the machine's load timeout. Those of slow sources are kept for another load.
    private func readings(of sources: [OpenSource], by reader: PhoneReader) async -> [SourceReading] {
        guard !sources.isEmpty else { return [] }
        let (arrivals, arriving) = AsyncStream<SourceReading>.makeStream()
        for source in sources {
            // Under the lock, so that the task is stored before it can end.
            state.withLock { state in
                state.readings[source.number] = Task {
                    let reading = await source.read(by: reader, self.progress(of: source.id))
                    await self.finish(reading: source)
                    if case .terminated = arriving.yield(reading) { self.take(late: reading) }
                }
            }
        }
        let pause = dependencies.world.pause
        let timeout = Task {
            try? await pause(AddressBookMachine.loadTimeout)
            arriving.finish()
        }
        var readings: [SourceReading] = []
        for await reading in arrivals {
            readings.append(reading)
            if readings.count == sources.count { break }
        }
        timeout.cancel()
        return readings
    }

    private func progress(of id: SourceID) -> LoadProgress {
        LoadProgress { [weak self] done, total in
            self?.state.withLock { $0.noteProgress(of: id, done, of: total) }
        }
    }

    /// Notes that a source is no longer being read. If the source was removed meanwhile, removes the cards that the
    /// reading has stored.
    private func finish(reading source: OpenSource) async {
        let isKnown = state.withLock { state in
            state.readings[source.number] = nil
            return state.source(source.id) != nil
        }
        guard !isKnown, source.status.location != nil else { return }
        // Not in this task, which was cancelled with the source. If this fails, the next start removes them.
        await Task {
            try? await SourceLocation.forget(
                id: source.id.rawValue, database: store.database, credentials: credentials)
        }.value
    }

    private func take(late reading: SourceReading) {
        state.withLock { $0.late.append(reading) }
        post(.arrived(reading.source.id))
    }

    /// Builds the book from the cards of all sources, and finds the differences.
    private func arrange(_ result: inout LoadResult, _ sources: [OpenSource]) async {
        var plan = ContactBook.Plan()
        let previous = state.withLock { state in
            (plan.decisions, plan.order, plan.locale) = (state.decisions, state.order, dependencies.locale)
            plan.matches = state.matches
            return state.book
        }
        let cards: [[IndexedCard]?] = sources.map { source in
            result.readings.first { $0.source.number == source.number }?.cards ?? source.cards
        }
        // An address book is not shown as empty before any source has been read.
        if !sources.isEmpty, cards.allSatisfy({ $0 == nil }) { return }
        plan.cards = cards.flatMap { $0 ?? [] }
        let ambiguous = plan.decisions.ambiguous(among: plan.cards)
        if !ambiguous.isEmpty {
            plan.decisions.forget(ambiguous)
            state.withLock { $0.decisions.forget(ambiguous) }
            // If this fails, the next load tries it again.
            try? await store.forgetLinks(of: ambiguous)
        }
        guard let previous else {
            let book = await ContactBook(plan)
            (result.book, result.changed) = (book, Changed(added: book.contacts, origin: .state))
            return
        }
        let (book, changed) = await previous.following(plan)
        result.book = book
        if !changed.isEmpty { result.changed = changed }
    }

    /// Shows the result of a load: getters return it from now on, and observers are notified.
    @MainActor private func show(_ result: LoadResult) {
        let now = dependencies.world.now()
        let notices = state.withLock { $0.show(result, at: now) }
        // Subscribers first: some of them maintain caches that listeners read.
        if let changed = result.changed, let book = result.book { notifySubscribers(of: changed, in: book) }
        for (listener, changed) in notices.listeners {
            if case .dropped = listener.yield(changed) { listener.finish() }
        }
        if !notices.failures.isEmpty { notifySubscribers { $0.addressBookDidFailToLoad(notices.failures) } }
        obey(notices.action)
        for waiting in notices.waiting { waiting.resume() }
    }

    /// Notifies the subscribers of a change, except those that unsubscribe meanwhile. Those that do not have the contacts yet
    /// receive them all.
    @MainActor private func notifySubscribers(of changed: Changed<Contact>, in book: ContactBook) {
        for subscriber in state.withLock({ $0.subscribers.inOrder }) {
            guard let hasState = state.withLock({ $0.subscribers.noteState(of: subscriber) }) else { continue }
            subscriber.addressBookDidChange(hasState ? changed : Changed(added: book.contacts, origin: .state))
        }
    }

    /// Adds a subscriber. If the contacts are loaded, it receives them on the main actor, unless a load is first.
    func subscribe(_ subscriber: any AddressBookSubscriber, keepsCache: Bool) {
        state.withLock { $0.subscribers.add(subscriber, keepsCache: keepsCache) }
        guard asked() != nil else { return }
        Task { @MainActor [weak self, weak subscriber] in
            if let subscriber { self?.sendState(to: subscriber) }
        }
    }

    @MainActor private func sendState(to subscriber: any AddressBookSubscriber) {
        let book = state.withLock { state -> ContactBook? in
            guard let book = state.book, state.subscribers.noteState(of: subscriber) == false else { return nil }
            return book
        }
        if let book { subscriber.addressBookDidChange(Changed(added: book.contacts, origin: .state)) }
    }

    /// Notifies the subscribers, except those that unsubscribe meanwhile.
    @MainActor private func notifySubscribers(_ notify: (any AddressBookSubscriber) -> Void) {
        for subscriber in state.withLock({ $0.subscribers.inOrder }) {
            if state.withLock({ $0.subscribers.contains(subscriber) }) { notify(subscriber) }
        }
    }

    // MARK: Watching

    /// Reports each change of a source, until it is removed or the loader is released.
    private func watch(_ source: OpenSource) {
        let (id, number) = (source.id, source.number)
        let changes = source.source.changes()
        let watcher = Task { [weak self] in for await _ in changes { self?.post(.changed(id)) } }
        let isKept = state.withLock { state in
            guard state.source(id)?.number == number else { return false }
            state.update(id) { $0.watcher = watcher }
            return true
        }
        if !isKept { watcher.cancel() }
    }
}
