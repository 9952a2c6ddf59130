import Foundation
import Kith
import KithModel

/// The mutable state of ``AddressBookLoader``, and its transitions. Protected by one lock.
struct LoaderState {
    /// A listener to changes, through a stream.
    struct Listener {
        let continuation: AsyncStream<Changed<Contact>>.Continuation
        /// Whether it has received the first state.
        var hasState: Bool
    }

    /// The notifications to send when a load has ended.
    struct Notices: Sendable {
        /// The sources that could not be read.
        var failures: [SourceStatus] = []
        /// The listeners, each with its change.
        var listeners: [(AsyncStream<Changed<Contact>>.Continuation, Changed<Contact>)] = []
        /// The callers whose request is answered.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// What to do next.
        var action = AddressBookMachine.Action.rest
    }

    var machine = AddressBookMachine()
    /// The contacts that getters return; nil before the first load.
    private(set) var book: ContactBook?
    /// The sources, oldest first.
    private(set) var sources: [OpenSource] = []
    var decisions = LinkDecisions()
    /// The region that the user chose.
    var ownRegion: Region?
    var order = NameOrder.familyFirst
    /// The accounts that the current account has found for contacts.
    private(set) var matches = ContactMatches.none
    var subscribers = Subscribers()
    /// Runs before the first load.
    var beginning: (@Sendable () async -> Void)?
    /// Shows the people that the current account has found.
    var showing: Task<Void, Never>?
    var listeners: [Int: Listener] = [:]
    var statusListeners: [Int: AsyncStream<[SourceStatus]>.Continuation] = [:]
    /// The tasks that read sources at the moment, by the source's number.
    var readings: [Int: Task<Void, Never>] = [:]
    /// Results of slow sources. The next load shows them.
    var late: [SourceReading] = []
    var waiting: [Int: (ticket: AddressBookMachine.Ticket, continuation: CheckedContinuation<Void, Never>)] = [:]
    /// Wakes the machine at the time that it has requested.
    var timer: (until: Timestamp, task: Task<Void, Never>)?
    /// The last number given to a listener, a source or a waiting caller.
    private var numbers = 0

    /// A number that has not been used before.
    mutating func nextNumber() -> Int {
        numbers += 1
        return numbers
    }

    // MARK: Sources

    var statuses: [SourceStatus] { sources.map(\.status) }

    func source(_ id: SourceID) -> OpenSource? { sources.first { $0.id == id } }

    /// Changes the source of this id, if there is one.
    mutating func update(_ id: SourceID, _ change: (inout OpenSource) -> Void) {
        guard let index = sources.firstIndex(where: { $0.id == id }) else { return }
        change(&sources[index])
    }

    /// Adds a source.
    ///
    /// - Returns: The source of the same id that it replaces; nil if there was none.
    mutating func add(_ source: any AddressBookSource, _ status: SourceStatus) -> OpenSource? {
        let added = OpenSource(nextNumber(), status, source)
        let replaced = self.source(status.id)
        if replaced == nil { sources.append(added) } else { update(status.id) { $0 = added } }
        notifyStatusListeners()
        return replaced
    }

    /// Removes a source, and the decisions about its cards.
    ///
    /// - Returns: The tasks that watch and read it, to be cancelled.
    mutating func remove(_ id: SourceID) -> [Task<Void, Never>] {
        guard let removed = source(id) else { return [] }
        sources.removeAll { $0.id == id }
        decisions.forget(id)
        notifyStatusListeners()
        return [removed.watcher, readings[removed.number]].compactMap(\.self)
    }

    // MARK: Matches

    /// Notes the accounts of the contacts. They are shown when the contacts are next arranged; contacts whose account
    /// has changed are reported as modified.
    ///
    /// - Returns: Whether they were already shown.
    mutating func note(_ accounts: [Identity: AccountID]) -> Bool {
        let isNew = matches.accounts != accounts
        if isNew { matches = ContactMatches(accounts: accounts) }
        // Another caller may have noted the same accounts and may still be waiting until they are shown.
        return !isNew && book.map { $0.matches === matches } ?? true
    }

    // MARK: A load

    /// Begins a load of these sources.
    ///
    /// - Returns: All sources, and the results that arrived after the previous load.
    mutating func beginLoad(of due: Set<SourceID>) -> (sources: [OpenSource], late: [SourceReading]) {
        for id in due { update(id) { $0.status.state = .loading(done: 0, of: nil) } }
        notifyStatusListeners()
        defer { late = [] }
        return (sources, late)
    }

    /// Notes how much of a source has been read.
    mutating func noteProgress(of id: SourceID, _ done: Int, of total: Int?) {
        guard case .loading = source(id)?.status.state else { return }
        update(id) { $0.status.state = .loading(done: done, of: total) }
        notifyStatusListeners()
    }

    /// Shows the result of a load.
    ///
    /// - Returns: The notifications to send.
    mutating func show(_ result: LoadResult, at now: Timestamp) -> Notices {
        var notices = Notices()
        var results: [SourceID: AddressBookMachine.ReadResult] = [:]
        for reading in result.readings {
            guard let status = take(reading, at: now) else { continue }
            results[status.id] = reading.result
            if reading.error != nil { notices.failures.append(status) }
        }
        if let book = result.book { self.book = book }
        notices.action = machine.handle(.ended(results), at: now)
        if let book = result.book, let changed = result.changed { notices.listeners = changes(changed, of: book) }
        notifyStatusListeners()
        for (number, waiter) in waiting where machine.isAnswered(waiter.ticket) {
            waiting[number] = nil
            notices.waiting.append(waiter.continuation)
        }
        return notices
    }

    /// Notes the reading of a source.
    ///
    /// - Returns: Its status; nil if the source was removed or replaced while it was read.
    private mutating func take(_ reading: SourceReading, at now: Timestamp) -> SourceStatus? {
        guard let source = source(reading.source.id), source.number == reading.source.number else { return nil }
        update(source.id) { $0.take(reading, at: now) }
        return self.source(source.id)?.status
    }

    /// The change for each listener: the whole state if the listener has not received it yet.
    private mutating func changes(
        _ changed: Changed<Contact>, of book: ContactBook
    ) -> [(AsyncStream<Changed<Contact>>.Continuation, Changed<Contact>)] {
        listeners.sorted { $0.key < $1.key }.map { id, listener in
            listeners[id]?.hasState = true
            return (listener.continuation, listener.hasState ? changed : Changed(added: book.contacts, origin: .state))
        }
    }

    private func notifyStatusListeners() {
        guard !statusListeners.isEmpty else { return }
        let statuses = statuses
        for listener in statusListeners.values { listener.yield(statuses) }
    }
}
