import KithModel

/// A visible change of the replica, made by any process.
package struct Sighting: Hashable, Sendable {
    /// The kind of change.
    package enum Kind: Hashable, Sendable {
        /// A change of lists, items or people.
        case change(Announcement)
        /// Matches of the address book that were found or are gone.
        case matches(Changed<Match>)
        /// Another store became the current one. Its content follows, with the origin `state`.
        case switched(from: AccountScope, to: AccountScope)
    }

    package let kind: Kind
    /// Whether another process made the change. Its original source is then not known.
    package let isFromElsewhere: Bool

    /// The change of lists, items or people; nil if it is something else.
    package var announcement: Announcement? { if case .change(let announcement) = kind { announcement } else { nil } }

    var isEmpty: Bool {
        switch kind {
        case .change(let announcement): announcement.isEmpty
        case .matches(let changed): changed.isEmpty
        case .switched: false
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
                    try? await replica.between { try told.compareMatches($0, $1) }
                }
            }
            continuation.onTermination = { _ in
                watching.cancel()
                finding.cancel()
            }
        }
    }
}
