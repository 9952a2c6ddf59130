public import Kith
import KithModel
import Synchronization

extension AddressBook {
    // MARK: Subscribing

    /// Notifies `subscriber` of changes and failures from now on, on the main actor. Starts the first load if needed.
    ///
    /// The subscriber is not retained. A second call for the same object adds nothing.
    ///
    /// - Parameters:
    ///   - subscriber: The object to notify.
    ///   - keepsCache: Whether it maintains a cache that other subscribers read. Such subscribers are notified first.
    public func subscribe(_ subscriber: any AddressBookSubscriber, keepsCache: Bool = false) {
        state.withLock { $0.subscribers.add(subscriber, keepsCache: keepsCache) }
        asked()
    }

    /// Stops notifying `subscriber`, also of a change that other subscribers are being notified of now.
    public func unsubscribe(_ subscriber: any AddressBookSubscriber) {
        state.withLock { $0.subscribers.remove(subscriber) }
    }

    /// Notifies the subscribers, except those that unsubscribe meanwhile.
    @MainActor func tellSubscribers(_ tell: (any AddressBookSubscriber) -> Void) {
        for subscriber in state.withLock({ $0.subscribers.inOrder }) {
            if state.withLock({ $0.subscribers.contains(subscriber) }) { tell(subscriber) }
        }
    }

    // MARK: Listening

    /// Changes of the contacts: first all contacts (origin `state`), once they are loaded; then each difference once.
    ///
    /// A listener that falls `KithClient.unreadChanges` changes behind is ended. To go on, call `changes()` again.
    /// While there is a listener, accounts are polled every minute: see `KithConfiguration.accountInterval`.
    public func changes() -> AsyncStream<Changed<Contact>> {
        let (changes, continuation) = AsyncStream<Changed<Contact>>.makeStream(
            bufferingPolicy: .bufferingOldest(dependencies.unreadChanges))
        let id = state.withLock { state in
            // Under the lock, so that no difference is lost between the state and the first difference.
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

    /// The change for each listener. Listeners that are added later receive it in their first state.
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

    /// The states of the sources, now and after each change.
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
