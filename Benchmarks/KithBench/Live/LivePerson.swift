import Foundation
import KithModel
import KithServer

/// An account with one device, in a list that it shares with others.
struct LivePerson: Sendable {
    let session: NewSession
    let device = DeviceID(UUID())
    let list: FeedID
    /// The last edit of the device.
    var acknowledged = Acknowledgement.none

    /// Writes lists into the database of servers that do not run, and returns the people of each, first its owner.
    static func make(lists: Int, of people: Int, in database: any Database) async throws -> [[LivePerson]] {
        var made: [[LivePerson]] = []
        // Lists that are made at once share their commits.
        for start in stride(from: 0, to: lists, by: 64) {
            try await withThrowingTaskGroup(of: [LivePerson].self) { group in
                for _ in start..<min(start + 64, lists) {
                    group.addTask { try await list(of: people, in: database) }
                }
                for try await list in group { made.append(list) }
            }
        }
        return made
    }

    private static func list(of count: Int, in database: any Database) async throws -> [LivePerson] {
        let now = Timestamp(.now)
        let sessions = SessionService(database: database, signals: .none)
        var owner = LivePerson(session: try await sessions.open(at: now), list: FeedID(UUID()))
        let creation = Mutation(
            id: MutationID(UUID()), number: 1, feed: owner.list, collection: .lists, record: owner.list.retyped(),
            seen: 0, change: .set(["name": "Groceries"]))
        let request = SyncRequest(
            account: owner.session.account, device: owner.device, acknowledged: .none, sent: 1, mutations: [creation],
            token: nil)
        owner.acknowledged = try await SyncService(database: database)
            .sync(request, as: owner.session.account, at: now).answer.acknowledged
        let (list, account, server): (ListID, AccountID, ServerID) = (
            owner.list.retyped(), owner.session.account, database.server
        )
        let link = try await database.write { transaction in
            try LinkTransaction(transaction, at: now, on: server)
                .create(LinkRequest(role: .editor), for: list, by: account).value.token ?? ""
        }
        var people = [owner]
        while people.count < count {
            let person = LivePerson(session: try await sessions.open(at: now), list: owner.list)
            let account = person.session.account
            _ = try await database.write { transaction in
                try LinkTransaction(transaction, at: now, on: server).accept(link, by: account)
            }
            people.append(person)
        }
        return people
    }
}
