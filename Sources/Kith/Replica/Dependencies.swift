import Foundation
package import KithModel

/// What the client takes from outside: the time, randomness, the collections that it knows, and a log. They are passed in,
/// so that a simulation can be repeated from one seed.
package struct Dependencies: Sendable {
    package var now: @Sendable () -> Timestamp
    package var random: RandomSource
    /// Returns after the given time, or throws when the task is cancelled.
    package var pause: @Sendable (Duration) async throws -> Void
    /// The collections that the client knows.
    package var collections: ReplicaCollections
    /// What the client logs, and where.
    package var log = ClientLog.silent

    package init(
        now: @escaping @Sendable () -> Timestamp, random: RandomSource,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        collections: ReplicaCollections = .standard
    ) {
        self.now = now
        self.random = random
        self.pause = pause
        self.collections = collections
    }

    /// The device's clock and the system's randomness.
    package static let system = Dependencies(now: { Timestamp(Date()) }, random: RandomSource())

    /// Calls `ring` at a time, unless the task is cancelled before.
    package func wake(at time: Timestamp, _ ring: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        let delay = max(.zero, time - now())
        return Task { [pause] in
            do { try await pause(delay) } catch { return }
            ring()
        }
    }

    /// A new identifier of version 7.
    func makeID<Record>(_ kind: Record.Type = Record.self) -> RecordID<Record> {
        var random = random
        return RecordID(.version7(time: now(), using: &random))
    }
}
