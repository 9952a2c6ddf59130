public import Kith
import KithModel
import Synchronization

extension AddressBook {
    // MARK: Subscribing

    /// Has `subscriber` hear of changes and failures from now on, on the main actor, and loads the contacts if need be.
    ///
    /// It is not retained. Subscribing twice is subscribing once.
    ///
    /// - Parameters:
    ///   - subscriber: Who wants to hear.
    ///   - keepsCache: Whether it keeps what others read: those who do are told before those who do not.
    public func subscribe(_ subscriber: any AddressBookSubscriber, keepsCache: Bool = false) {
        state.withLock { $0.subscribers.add(subscriber, keepsCache: keepsCache) }
        asked()
    }

    /// Has `subscriber` hear of nothing more, not even of what others are being told just now.
    public func unsubscribe(_ subscriber: any AddressBookSubscriber) {
        state.withLock { $0.subscribers.remove(subscriber) }
    }

    /// Tells those who have subscribed, leaving out who unsubscribes meanwhile.
    @MainActor func tellSubscribers(_ tell: (any AddressBookSubscriber) -> Void) {
        for subscriber in state.withLock({ $0.subscribers.inOrder }) {
            if state.withLock({ $0.subscribers.contains(subscriber) }) { tell(subscriber) }
        }
    }

    // MARK: Listening

    /// Changes of the contacts: first what there is (origin `state`), as soon as it is loaded; then each difference once.
    ///
    /// A listener that falls ``KithClient/unreadChanges`` changes behind is ended. To go on, call `changes()` again.
    /// While anybody listens, accounts are asked every minute: see ``KithConfiguration/accountInterval``.
    public func changes() -> AsyncStream<Changed<Contact>> {
        let (changes, continuation) = AsyncStream<Changed<Contact>>.makeStream(
            bufferingPolicy: .bufferingOldest(dependencies.unreadChanges))
        let id = state.withLock { state in
            // Under the lock, so that no difference falls between the state and the first of them.
            if let book = state.book { continuation.yield(Changed(added: book.contacts, origin: .state)) }
            state.numbers += 1
            state.listeners[state.numbers] = ChangeListener(
                continuation: continuation, isTold: state.book != nil)
            return state.numbers
        }
        pace.beginWatching()
        continuation.onTermination = { [weak self, pace] _ in
            pace.endWatching()
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        asked()
        return changes
    }

    /// What to tell each listener; those who come from here on know it already.
    func listeners(
        hearing changed: Changed<Contact>?, of book: ContactBook?, _ state: inout State
    ) -> [(AsyncStream<Changed<Contact>>.Continuation, Changed<Contact>)] {
        guard let book, let changed else { return [] }
        return state.listeners.sorted { $0.key < $1.key }.map { id, listener in
            state.listeners[id]?.isTold = true
            return (
                listener.continuation, listener.isTold ? changed : Changed(added: book.contacts, origin: .state)
            )
        }
    }

    /// How the sources are, now and after each change of that.
    public func statuses() -> AsyncStream<[SourceStatus]> {
        let (statuses, continuation) = AsyncStream<[SourceStatus]>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            continuation.yield(state.sources.map(\.status))
            state.numbers += 1
            state.statusListeners[state.numbers] = continuation
            return state.numbers
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.statusListeners.removeValue(forKey: id) }
        }
        return statuses
    }

    func tellStatuses(_ state: inout State) {
        guard !state.statusListeners.isEmpty else { return }
        let statuses = state.sources.map(\.status)
        for listener in state.statusListeners.values { listener.yield(statuses) }
    }
}
