import Foundation
import KithModel
import KithServer

/// An account that writes many records into the database of a server that is not running.
///
/// The database takes them as from a device, but without a network and with several requests in one commit, which is faster.
struct DatabaseAuthor {
    struct NotTaken: Error {}

    let session: NewSession
    private let database: SQLiteDatabase
    private let device = DeviceID(UUID())
    private var acknowledged = Acknowledgement.none
    private var made = 0
    private var random = SystemRandomNumberGenerator()

    /// The author of a new account.
    init(_ database: SQLiteDatabase) throws {
        self.database = database
        session = try SessionService(database: database, signals: .none).openNow(at: Timestamp(.now), on: database)
    }

    /// Makes an account whose lists together have `items` items.
    static func makeAccount(lists: Int, items: Int, in database: SQLiteDatabase) throws -> NewSession {
        var author = try DatabaseAuthor(database)
        var edits: [Edit] = []
        for index in 0..<lists {
            let (list, creation) = author.newList()
            edits.append(creation)
            edits += author.newItems(items * (index + 1) / lists - items * index / lists, in: list)
            // Small lists share a commit.
            guard edits.count >= 10_000 || index == lists - 1 else { continue }
            try author.take(edits)
            edits = []
        }
        return author.session
    }

    /// Makes a list.
    mutating func makeList() throws -> FeedID {
        let (list, creation) = newList()
        try take([creation])
        return list
    }

    /// Adds items, and returns their ids.
    mutating func add(_ count: Int, to list: FeedID) throws -> [RecordID<Never>] {
        let edits = newItems(count, in: list)
        try take(edits)
        return edits.map(\.record)
    }

    /// Removes items.
    mutating func remove(_ items: some Collection<RecordID<Never>>, from list: FeedID) throws {
        try take(items.map { (list, .items, $0, .delete) })
    }

    private typealias Edit = (
        feed: FeedID, collection: RecordCollection, record: RecordID<Never>, change: Mutation.Change
    )

    /// A new list, and the edit that creates it.
    private func newList() -> (FeedID, Edit) {
        let list = FeedID(UUID())
        let creation: Edit = (list, .lists, list.retyped(), .set(["name": "Groceries"]))
        return (list, creation)
    }

    private mutating func newItems(_ count: Int, in list: FeedID) -> [Edit] {
        (0..<count).map { _ in
            defer { made += 1 }
            let id = RecordID<Never>(.version7(time: Timestamp(.now), using: &random))
            return Edit(list, .items, id, .set(SampleItem.fields(made)))
        }
    }

    private mutating func take(_ edits: [Edit]) throws {
        let mutations = edits.enumerated().map { offset, edit in
            Mutation(
                id: MutationID(UUID()), number: acknowledged.number + Int64(offset) + 1, feed: edit.feed,
                collection: edit.collection, record: edit.record, seen: 0, change: edit.change)
        }
        let parts = stride(from: 0, to: mutations.count, by: Limits.mutations).map { start in
            Array(mutations[start..<min(start + Limits.mutations, mutations.count)])
        }
        let (account, device, before) = (session.account, device, acknowledged)
        acknowledged = try database.writeNow { transaction in
            var acknowledged = before
            for part in parts {
                let request = SyncRequest(
                    account: account, device: device, acknowledged: acknowledged,
                    sent: acknowledged.number + Int64(part.count), mutations: part, token: nil)
                let round = SyncRound(
                    request, as: account, at: Timestamp(.now), under: SyncRound.Terms(storage: 1 << 40))
                let pushed = try round.push(in: transaction)
                acknowledged = pushed.acknowledged
            }
            return acknowledged
        }
        guard acknowledged.number == before.number + Int64(mutations.count) else { throw NotTaken() }
    }
}
