import KithModel

/// What shows of the replica, whichever process did it.
package struct Sighting: Hashable, Sendable {
    /// What is seen.
    package enum Kind: Hashable, Sendable {
        /// A change of lists, items or people.
        case change(Announcement)
        /// Who of the address book is on the service, or no longer.
        case matches(Changed<Match>)
        /// Another store became the current one. What is in it follows, with the origin `state`.
        case switched(from: AccountScope, to: AccountScope)
    }

    package let kind: Kind
    /// Whether another process did it. Where that had it from, it does not say.
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
    /// Changes of my lists, their items and people, my contacts, and the people that discovery finds, also those that other
    /// processes make on the same file: first what there is, then each change after it, in the order of the commits.
    ///
    /// When another store becomes the current one, that is told, and then what is in it: nothing in the store before it
    /// counts as removed.
    ///
    /// The hub hears only its own process. Of others SQLite tells no more than
    /// that they have committed (`PRAGMA data_version`): so it is asked for that
    /// again and again, and when they have, what there is is compared with what was told.
    /// Each time another process commits, that reads everything once.
    ///
    /// - Parameter interval: Between two questions.
    /// - Returns: A stream that fails if the replica cannot be read, or if its
    ///   listener falls ``KithClient/unreadChanges`` changes behind.
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
                    // On the writer's queue, so that no change falls between the state and the first change.
                    let listener = try await replica.between { db, _ in
                        try told.begin(db)
                        return replica.hub.listen { told.note($0) }
                    }
                    defer { replica.hub.leave(listener) }
                    while true {
                        try await replica.dependencies.pause(interval)
                        // What another process saved offline waits here, too.
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
