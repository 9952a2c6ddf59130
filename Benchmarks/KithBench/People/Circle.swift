import Foundation
import Kith
import KithModel
import KithServer

/// A person who is connected with many others: a server, and the person's replica in a file.
final class Circle {
    let client: KithClient
    let server: SQLiteDatabase
    let file: URL
    let folder: URL
    private let me: AccountID
    private var friends: [Friend] = []
    private var random = SplitMix64(seed: 5)

    /// Creates the person and `count` others, whose requests the person accepts. An in-memory server makes this faster
    /// if the server itself is not measured.
    init(_ count: Int, folder: URL, isDurable: Bool) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        file = folder.appending(path: "replica.sqlite")
        server =
            isDurable ? try SQLiteDatabase(path: folder.appending(path: "server.sqlite").path()) : try .inMemory()
        client = try KithClient(
            replica: Replica(.file(file)), transport: nil, credentials: InMemoryCredentialStore())
        me = try await SessionService(database: server).open(at: Timestamp(.now)).account
        try client.replica.writeNow { [me] in try $0.adopt(me) }
        // Many sessions share each commit, because this part is not measured.
        for start in stride(from: 0, to: count, by: 500) {
            let accounts = try await withThrowingTaskGroup(of: AccountID.self) { group in
                for _ in start..<min(start + 500, count) {
                    group.addTask { [server] in
                        try await SessionService(database: server).open(at: Timestamp(.now)).account
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (index, account) in accounts.enumerated() { try ask(account, start + index) }
            try sync()
            try client.replica.writeNow { transaction in
                let changes = Changes(transaction, isGroup: false)
                for account in accounts { try changes.accept(account) }
            }
            try sync()
            try tell()
        }
        try sync()
    }

    private func ask(_ account: AccountID, _ number: Int) throws {
        var friend = Friend(account: account, device: DeviceID(.version7(time: Timestamp(.now), using: &random)))
        let name: Fields = ["given": .text("Person \(number)"), "family": .text("Family \(number % 1_000)")]
        try friend.send(
            [
                (.profiles, Profile.id, name), (.contacts, me.retyped(), ["wish": .text("connect")]),
            ], to: server, &random)
        friends.append(friend)
    }

    /// Changes the status text in the profile of one of the others.
    func change(_ index: Int, to status: String) throws {
        try friends[index].send([(.profiles, Profile.id, ["status": .text(status)])], to: server, &random)
    }

    /// Performs rounds until nothing is left to sync.
    func sync() throws {
        let rounds = Rounds(replica: client.replica)
        while let request = try rounds.begin() {
            if try rounds.finish(request, try answer(request)) != .again { return }
        }
    }

    func answer(_ request: SyncRequest) throws -> SyncAnswer {
        try SyncService.syncNow(request, as: me, at: Timestamp(.now), on: server).answer
    }

    /// Propagates changed profiles step by step, as the server does in the background.
    ///
    /// - Returns: The number of transactions.
    @discardableResult
    func tell() throws -> Int {
        var steps = 0
        while try server.readNow({ try ProfileFanout.isWaiting(in: $0) }) {
            _ = try server.writeNow { try ProfileFanout.take(at: Timestamp(.now), in: $0) }
            steps += 1
        }
        return steps
    }
}

/// The device of one of the others, reduced to sending mutations.
private struct Friend {
    let account: AccountID
    let device: DeviceID
    var acknowledged = Acknowledgement.none

    mutating func send(
        _ changes: [(RecordCollection, RecordID<Never>, Fields)], to server: SQLiteDatabase,
        _ random: inout SplitMix64
    ) throws {
        let mutations = changes.enumerated().map { index, change in
            Mutation(
                id: MutationID(.version7(time: Timestamp(.now), using: &random)),
                number: acknowledged.number + Int64(index) + 1, feed: account.retyped(), collection: change.0,
                record: change.1, seen: 0, age: 0, change: .set(change.2))
        }
        let request = SyncRequest(
            account: account, device: device, acknowledged: acknowledged,
            sent: acknowledged.number + Int64(mutations.count), mutations: mutations, token: nil)
        let answer = try SyncService.syncNow(request, as: account, at: Timestamp(.now), on: server).answer
        precondition(answer.outcomes.allSatisfy { $0.code == nil }, "\(answer.outcomes)")
        acknowledged = answer.acknowledged
    }
}
