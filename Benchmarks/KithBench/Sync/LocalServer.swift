import Foundation
import Kith
import KithModel
import KithServer

/// A server in this process with one account, whose devices sync without a network.
///
/// Requests and answers are written as JSON and read again, as in a round over HTTP.
struct LocalServer {
    let database: SQLiteDatabase
    let account: AccountID
    let token: String

    init(_ database: SQLiteDatabase) throws {
        self.database = database
        let session = try SessionService(database: database, signals: .none).openNow(at: Timestamp(.now), on: database)
        (account, token) = (session.account, session.token)
    }

    /// A server in memory.
    init() throws { try self.init(.inMemory()) }

    /// A server that writes durably to a file.
    init(file: URL) throws { try self.init(SQLiteDatabase(path: file.path())) }

    /// A device of the account.
    func device(_ location: Replica.Location) throws -> Replica {
        let replica = try Replica(location)
        try join(replica)
        return replica
    }

    /// Makes a replica a device of the account.
    func join(_ replica: Replica) throws {
        try replica.writeNow { [account] in try $0.adopt(account) }
    }

    /// The answer in JSON to a request.
    func answer(_ request: SyncRequest) async throws -> Data {
        let carried = try JSONBody.decode(SyncRequest.self, from: request.json)
        return try await SyncService(database: database).sync(carried, as: account, at: Timestamp(.now)).answer.json
    }

    /// Performs rounds until nothing is left to sync.
    func sync(_ replica: Replica) async throws {
        let rounds = Rounds(replica: replica)
        while let request = try rounds.begin() {
            if try await rounds.finish(request, SyncAnswer(json: answer(request))) != .again { return }
        }
    }

    /// Stores new items as if a device had sent them, in as few lists as possible.
    func store(items count: Int) async throws {
        let device = try device(.inMemory)
        var sender = BulkSender(account: account)
        for start in stride(from: 0, to: count, by: Self.listSize) {
            let list = try device.writeNow { try Changes($0, isGroup: false).create("List \(start)").id }
            try await sync(device)
            try sender.send(min(Self.listSize, count - start), to: list, in: database)
        }
    }

    /// The records of a list that are not its own or its members.
    private static let listSize = Limits.records - 1_000
}
