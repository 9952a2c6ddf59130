import Foundation
package import KithModel
import Synchronization

/// Counts the visits of the pages of links, each visitor once a day for each code.
///
/// A visitor is a network with a user agent. The database keeps a keyed hash of it for the day
/// (``VisitKey``), and no cookie is set. Visits are gathered in memory and stored in the background, so that showing a page
/// writes nothing.
package final class VisitCounter: Sendable {
    /// How often the visits are stored.
    static let writing = Duration.seconds(5)
    /// Visits that wait to be stored. Further ones are not counted until there is room.
    package static let most = 100_000
    /// The visits that one transaction stores, so that rounds can run between them.
    private static let step = 1_000

    private struct Visit: Sendable {
        /// A hash of the visitor and the code. It has no key, so it is never stored.
        let visitor: Data
        let programme: String
        let channel: ShareChannel
    }

    /// The visits by their visitors.
    private let waiting = Mutex<[Data: Visit]>([:])
    private let random: RandomBytes

    /// A counter without visits.
    ///
    /// - Parameter random: The source of random bytes.
    package init(random: RandomBytes = .system) { self.random = random }

    /// Notes a visit.
    ///
    /// - Parameters:
    ///   - code: The code of the page.
    ///   - programme: The programme of the code.
    ///   - channel: The channel that the link names.
    ///   - network: The network of the visitor.
    ///   - agent: The user agent.
    package func note(
        _ code: ShareCode, in programme: String, by channel: ShareChannel, from network: ClientNetwork, _ agent: String
    ) {
        let visitor = Secret.sha256("\(network.text)\0\(agent)\0\(code.key)")
        waiting.withLock { waiting in
            // The first visit decides the channel.
            if waiting[visitor] != nil || waiting.count >= Self.most { return }
            waiting[visitor] = Visit(visitor: visitor, programme: programme, channel: channel)
        }
    }

    /// Stores the noted visits. They count for the day of `now`.
    ///
    /// - Throws: ``ServerError`` if the database fails. The visits that were not stored wait for the next call.
    package func write(to database: any Database, at now: Timestamp) async throws {
        let visits = waiting.withLock { waiting in
            defer { waiting = [:] }
            return Array(waiting.values)
        }
        for start in stride(from: 0, to: visits.count, by: Self.step) {
            let batch = Array(visits[start..<min(start + Self.step, visits.count)])
            do {
                try await database.write { [random] in try Self.store(batch, at: now, random, in: $0) }
            } catch {
                waiting.withLock { waiting in
                    for visit in visits[start...] where waiting.count < Self.most { waiting[visit.visitor] = visit }
                }
                throw error
            }
        }
    }

    /// A number in the funnel.
    private struct Place: Hashable {
        let programme: String
        let channel: ShareChannel
    }

    private static func store(
        _ visits: [Visit], at now: Timestamp, _ random: RandomBytes, in transaction: any Transaction
    ) throws {
        let day = now.day
        let key = try VisitKey.findOrCreate(for: day, random, in: transaction)
        var channels = KnownChannels(transaction)
        var amounts: [Place: Int] = [:]
        for visit in visits {
            let isNew = try transaction.changes(
                "INSERT INTO visit (day, hash) VALUES (?, ?) ON CONFLICT (day, hash) DO NOTHING RETURNING hash",
                [.integer(day), .bytes(Secret.hmac(visit.visitor, key: key))])
            guard isNew else { continue }
            let channel = try channels.counted(visit.channel, in: visit.programme)
            amounts[Place(programme: visit.programme, channel: channel), default: 0] += 1
        }
        for (place, amount) in amounts {
            try Funnel.count(
                .visited, times: amount, of: place.programme, by: place.channel, at: now, in: transaction)
        }
    }
}
