import GRDB
import KithModel

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

extension KithClient {
    /// Changes of my lists, their items and people, my contacts and my matches, including those that other processes
    /// make on the same file: first the current content, then each change after it, in the order of the commits.
    ///
    /// When another store becomes the current one, the stream reports the switch and then the store's content. The
    /// content of the former store does not count as removed.
    ///
    /// ``ChangeHub`` only sees its own process. About other processes SQLite only reports that they have committed
    /// (`PRAGMA data_version`). So this method polls that value, and after a commit compares the content with what was
    /// reported. Each commit of another process costs one read of everything.
    ///
    /// - Parameter interval: The pause between two polls.
    /// - Returns: A stream that fails if the replica cannot be read, or if its listener falls
    ///   ``KithClient/unreadChanges`` changes behind.
    package func sightings(every interval: Duration) -> AsyncThrowingStream<Sighting, any Error> {
        let (replica, engine) = (replica, engine)
        return AsyncThrowingStream(bufferingPolicy: .bufferingOldest(unreadChanges)) { continuation in
            let told = ExternalChanges(replica) { sighting in
                if case .dropped = continuation.yield(sighting) {
                    let sentence = "More changed than could be told in time. Listen again."
                    continuation.finish(throwing: KithError(.init(rawValue: "fellBehind"), sentence))
                }
            }
            let watching = Task {
                do {
                    // Runs on the writer's queue, so that no change is lost between the state and the first change.
                    let listener = try await replica.between { db, _ in
                        try told.begin(db)
                        return replica.hub.listen { told.note($0) }
                    }
                    defer { replica.hub.leave(listener) }
                    while true {
                        try await replica.dependencies.pause(interval)
                        // Edits that another process saved offline also wait in this outbox.
                        if try await replica.between({ try told.compare($0, $1) }) { engine.note(.edited) }
                    }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            let finding = Task {
                for await _ in replica.foundMatches() {
                    try? await replica.between { try told.compareUnannounced($0, $1) }
                }
            }
            continuation.onTermination = { _ in
                watching.cancel()
                finding.cancel()
            }
        }
    }
}
