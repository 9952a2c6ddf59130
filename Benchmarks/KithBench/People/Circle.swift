import BenchReport
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
        me = try await SessionService(database: server, signals: .none).open(at: Timestamp(.now)).account
        try client.replica.writeNow { [me] in try $0.adopt(me) }
        // Many sessions share each commit, because this part is not measured.
        for start in stride(from: 0, to: count, by: 500) {
            let accounts = try await withThrowingTaskGroup(of: AccountID.self) { group in
                for _ in start..<min(start + 500, count) {
                    group.addTask { [server] in
                        try await SessionService(database: server, signals: .none).open(at: Timestamp(.now)).account
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (index, account) in accounts.enumerated() { try await ask(account, start + index) }
            try await sync()
            try client.replica.writeNow { transaction in
                let changes = Changes(transaction, isGroup: false)
                for account in accounts { try changes.accept(account) }
            }
            try await sync()
            try tell()
        }
        try await sync()
    }

    private func ask(_ account: AccountID, _ number: Int) async throws {
        var friend = Friend(account: account, device: DeviceID(.version7(time: Timestamp(.now), using: &random)))
        let name: Fields = ["given": .text("Person \(number)"), "family": .text("Family \(number % 1_000)")]
        try await friend.send(
            [
                (.profiles, Profile.id, name), (.contacts, me.retyped(), ["wish": .text("connect")]),
            ], to: server, &random)
        friends.append(friend)
    }

    /// Changes the status text in the profile of one of the others.
    func change(_ index: Int, to status: String) async throws {
        try await friends[index].send([(.profiles, Profile.id, ["status": .text(status)])], to: server, &random)
    }

    /// Performs rounds until nothing is left to sync.
    func sync() async throws {
        let rounds = Rounds(replica: client.replica)
        while let request = try rounds.begin() {
            if try await rounds.finish(request, answer(request)) != .again { return }
        }
    }

    func answer(_ request: SyncRequest) async throws -> SyncAnswer {
        try await SyncService(database: server).sync(request, as: me, at: Timestamp(.now)).answer
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

    // MARK: Measuring

    /// Measures the propagation of a changed profile to all contacts, which the server does in the background, in
    /// steps.
    ///
    /// The floor writes as many rows in one transaction. Kith reads each row and its feed, and advances the feed's
    /// sequence, so that each device finds the change.
    static func measureProfile(_ run: Run) async throws {
        let count = run.size(1_000, smoke: 50)
        let circle = try await Circle(count, folder: run.folder, isDurable: true)
        try Mismatch.unless(circle.client.replica.content().contacts.count == count, "Contacts are missing.")
        let floor = PlainPeople(run.folder.appending(path: "floor.sqlite"), count: count)
        var (kith, plain) = (Samples(), Samples())
        for number in 0..<run.size(31, smoke: 3) {
            try circle.client.replica.writeNow { transaction in
                try Changes(transaction, isGroup: false).updateProfile { $0.status = "by the sea, \(number)" }
            }
            try await circle.sync()
            try kith.time { _ = try circle.tell() }
            plain.time { floor.write(number) }
        }
        run.line(
            "profile change told to \(count.grouped) contacts, p50", .time(kith.p50),
            beside: .init(Floor.name, .time(plain.p50)), wanted: .atMostTimes(3))
    }

    /// Measures reading a large network, and receiving and announcing a change of one person in it.
    static func measureRoster(_ run: Run) async throws {
        let count = run.size(10_000, smoke: 200)
        let circle = try await Circle(count, folder: run.folder, isDurable: false)
        try await circle.measureReading(of: count, run)
        try await circle.measureChange(among: count, run)
    }

    private func measureReading(of count: Int, _ run: Run) async throws {
        // The floor reads the same rows from the same file.
        let floor = PlainPeople(file)
        var (kith, plain) = (Samples(), Samples())
        for _ in 0..<run.size(51, smoke: 5) {
            let start = ContinuousClock.now
            let contacts = try await client.network.contacts()
            kith.append(.now - start)
            let rows = plain.time { floor.read() }
            try Mismatch.unless(contacts.count == count && rows == count, "People are missing.")
        }
        run.line(
            "network of \(count.grouped) people, read and in order, p50", .time(kith.p50),
            beside: .init(Floor.name, .time(plain.p50)), wanted: .atMostTimes(1.5))
    }

    private func measureChange(among count: Int, _ run: Run) async throws {
        let floor = PlainPeople(folder.appending(path: "floor.sqlite"), count: count)
        var heard = client.network.changes().makeAsyncIterator()
        let state = await heard.next()
        try Mismatch.unless(state?.added.count == count, "People are missing.")
        var (kith, plain) = (Samples(), Samples())
        for number in 0..<run.size(101, smoke: 5) {
            try await change(number, to: "by the sea, \(number)")
            try tell()
            let rounds = Rounds(replica: client.replica)
            guard let request = try rounds.begin() else { throw Mismatch(description: "The device has no session.") }
            let answer = try await answer(request)
            let start = ContinuousClock.now
            _ = try rounds.finish(request, answer)
            let told = await heard.next()
            kith.append(.now - start)
            try Mismatch.unless(told?.updated.count == 1, "Another number of people has changed.")
            plain.time { floor.change(number) }
        }
        run.line(
            "one of \(count.grouped) people changed: stored and heard, p50", .time(kith.p50),
            beside: .init(Floor.name, .time(plain.p50)))
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
    ) async throws {
        let mutations = changes.enumerated().map { index, change in
            Mutation(
                id: MutationID(.version7(time: Timestamp(.now), using: &random)),
                number: acknowledged.number + Int64(index) + 1, feed: account.retyped(), collection: change.0,
                record: change.1, seen: 0, age: 0, change: .set(change.2))
        }
        let request = SyncRequest(
            account: account, device: device, acknowledged: acknowledged,
            sent: acknowledged.number + Int64(mutations.count), mutations: mutations, token: nil)
        let answer = try await SyncService(database: server).sync(request, as: account, at: Timestamp(.now)).answer
        precondition(answer.outcomes.allSatisfy { $0.code == nil }, "\(answer.outcomes)")
        acknowledged = answer.acknowledged
    }
}
