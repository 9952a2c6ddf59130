import GRDB
public import KithModel

extension Lists {
    // MARK: Signals

    /// Changes of my lists: first the current lists (origin `state`), then each change once, after it can be read.
    ///
    /// Once the first round has written everything, one signal has ``Changed/isPopulated`` set. A listener that falls
    /// ``KithClient/unreadChanges`` changes behind is ended. To go on, call `changes()` again.
    public func changes() -> AsyncStream<Changed<SharedList>> {
        client.signals {
            Changed(added: try SharedList.fetchAll($0, $1.key), origin: .state, isPopulated: $1.isPopulated)
        } each: {
            switch $0 {
            case .lists(let changed): changed
            case .populated: .populated
            default: nil
            }
        }
    }

    /// Changes of the items in all my lists. If a list is removed, its items are not reported.
    public func itemChanges() -> AsyncStream<Changed<ListItem>> {
        client.signals {
            Changed(added: try ListItem.fetchShown($0, $1.key), origin: .state, isPopulated: $1.isPopulated)
        } each: {
            switch $0 {
            case .items(let changed): changed
            case .populated: .populated
            default: nil
            }
        }
    }

    /// Changes of the people in my lists.
    public func memberChanges() -> AsyncStream<Changed<Member>> {
        client.signals {
            Changed(added: try Member.fetchAll($0, $1.key), origin: .state, isPopulated: $1.isPopulated)
        } each: {
            switch $0 {
            case .members(let changed): changed
            case .populated: .populated
            default: nil
            }
        }
    }

    // MARK: Live queries

    /// My lists, now and after each change. The stream ends if the replica cannot be read; any getter then throws the
    /// reason.
    public func live() -> AsyncStream<[SharedList]> {
        client.live { try SharedList.fetchAll($0, $1.key) }
    }

    /// The items of a list, now and after each change. The stream ends if the replica cannot be read; any getter then
    /// throws the reason.
    ///
    /// ```swift
    /// for await items in client.lists.liveItems(in: groceries.id) { show(items) }
    /// ```
    public func liveItems(in list: ListID) -> AsyncStream<[ListItem]> {
        client.live { try ListItem.fetchAll($0, $1.key, in: list) }
    }
}

extension KithClient {
    /// The number of unread changes after which a listener is ended.
    public static let unreadChanges = 10_000

    /// The state, then the signal that `each` returns for every later announcement. An announcement for which it
    /// returns nil is skipped.
    func signals<Signal: Sendable>(
        state: @escaping @Sendable (Database, ReplicaAccount) throws -> Signal,
        each: @escaping @Sendable (Announcement) -> Signal?
    ) -> AsyncStream<Signal> {
        let replica = replica
        return AsyncStream(bufferingPolicy: .bufferingOldest(unreadChanges)) { continuation in
            let beginning = Task {
                // Runs on the writer's queue, so that no change is lost between the state and the first change.
                let listener = try? await replica.between { db, account in
                    continuation.yield(try state(db, account))
                    return replica.hub.listen { announcement in
                        guard let changed = each(announcement) else { return }
                        if case .dropped = continuation.yield(changed) { continuation.finish() }
                    }
                }
                // The state cannot be read. Any getter throws the reason.
                guard let listener else { return continuation.finish() }
                continuation.onTermination = { _ in replica.hub.leave(listener) }
                if Task.isCancelled { replica.hub.leave(listener) }
            }
            continuation.onTermination = { _ in beginning.cancel() }
        }
    }

    func live<Value: Sendable & Equatable>(
        _ fetch: @escaping @Sendable (Database, ReplicaAccount) throws -> Value
    ) -> AsyncStream<Value> {
        let (database, replica) = (replica.database, replica)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    // Drops repeats: on Linux the first value can come twice.
                    let observation = ValueObservation.tracking { try fetch($0, replica.account($0)) }
                        .removeDuplicates()
                    for try await value in observation.values(in: database, bufferingPolicy: .bufferingNewest(1)) {
                        continuation.yield(value)
                    }
                } catch {}
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
