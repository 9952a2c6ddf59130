package import Foundation
package import KithModel
import Synchronization

/// The times at which sessions were last used, until they are stored.
///
/// A time is stored in whole hours, at most once an hour for each session, and in the background. Requests therefore
/// write nothing for it, and the stored times reveal little about a person's day.
package final class SessionUses: Sendable {
    /// How often the uses are stored.
    static let writing = Duration.seconds(60)
    /// The precision of a stored use.
    package static let precision = Duration.seconds(3600)
    /// Uses that wait to be stored. Further ones are left out until there is room.
    static let most = 100_000
    /// The uses that one transaction stores, so that rounds can run between them. At the hour, each session in use has one.
    private static let step = 1_000

    private let waiting = Mutex<[Data: Timestamp]>([:])

    package init() {}

    /// Notes that a session is used.
    ///
    /// - Parameters:
    ///   - session: The hash of the session's token.
    ///   - stored: The stored time of its last use; nil if there is none.
    ///   - now: The server's time.
    package func note(_ session: Data, stored: Timestamp?, at now: Timestamp) {
        let hour = Self.hour(of: now)
        // A later time was stored while the clock was ahead, unless another server's clock is ahead by a little.
        if let stored, (hour...hour + Self.precision).contains(stored) { return }
        waiting.withLock { waiting in
            if waiting[session] == nil && waiting.count >= Self.most { return }
            waiting[session] = hour
        }
    }

    /// Stores the noted uses. Uses that cannot be stored are noted again by later requests.
    package func write(to database: any Database) async throws {
        let uses = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
        // Always in the same order, so that two nodes never wait for each other.
        let ordered = uses.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for start in stride(from: 0, to: ordered.count, by: Self.step) {
            let batch = ordered[start..<min(start + Self.step, ordered.count)]
            try await database.write { transaction in
                for (session, hour) in batch { try SessionTable.setUse(hour, of: session, in: transaction) }
            }
        }
    }

    /// The beginning of the hour of a time.
    package static func hour(of now: Timestamp) -> Timestamp {
        let length = precision.milliseconds
        return Timestamp(milliseconds: now.milliseconds - (now.milliseconds % length + length) % length)
    }
}
