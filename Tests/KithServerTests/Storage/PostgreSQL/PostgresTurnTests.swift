import Foundation
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite(
    "Pushes that wait for the same list in PostgreSQL", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresTurnTests {
    private struct Refusal: Error {}

    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    /// A list, and devices of other people in it, each of which has sent an item.
    private static func crowd(_ database: PostgresDatabase, _ count: Int) throws -> (Town, FeedID, [Phone]) {
        let (town, ada, list) = try Town.withList(database)
        let phones = try (0..<count).map { _ in
            var phone = try town.phone()
            try town.join(phone, list, of: ada, as: .editor)
            try phone.sync(phone.item(town.id(), in: list))
            return phone
        }
        return (town, list, phones)
    }

    /// A request of each device with a new item.
    private static func requests(of phones: [Phone], in list: FeedID) -> [SyncRequest] {
        phones.map { phone in
            var phone = phone
            return phone.request([phone.item(phone.town.id(), in: list)])
        }
    }

    private static func sequence(of list: FeedID, in database: PostgresDatabase) async throws -> Int64 {
        try await database.read { transaction in
            try transaction.query("SELECT sequence FROM feed WHERE id = ?", [.id(list)])[0].integer(0)
        }
    }

    /// The revisions of the list's changes after a sequence. Each transaction has its own.
    private static func revisions(
        of list: FeedID, after sequence: Int64, in database: PostgresDatabase
    ) async throws -> [Int64] {
        try await database.read { transaction in
            try transaction.query(
                "SELECT revision FROM record WHERE feed = ? AND sequence > ? ORDER BY sequence",
                [.id(list), .integer(sequence)]
            ).map { try $0.integer(0) }
        }
    }

    /// Lets a write for each value wait for the list's turn, then lets all go on, and returns what they return.
    private static func run<Input: Sendable, Output: Sendable>(
        for values: [Input], waitingFor list: FeedID, in database: PostgresDatabase,
        then next: () async throws -> Void = {}, _ write: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> [Output] {
        try await Occupation.run(in: database, inTurn: FeedTurn(of: list, for: nil)) { occupation in
            try await withThrowingTaskGroup(of: Output.self) { group in
                for value in values { group.addTask { try await write(value) } }
                try await Limit("all wait").until { database.waiting == values.count }
                occupation.release()
                try await next()
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    /// Lets the requests wait for the list's turn, then lets them go on, and returns the answers.
    private static func push(
        _ requests: [SyncRequest], waitingFor list: FeedID, in database: PostgresDatabase, at now: Timestamp
    ) async throws -> [SyncAnswer] {
        let service = SyncService(database: database)
        return try await run(for: requests, waitingFor: list, in: database) { request in
            try await service.sync(request, as: request.account, at: now).answer
        }
    }

    /// Runs `body` while another node holds a lock, until `body` releases it.
    private static func withLock<Value>(
        _ lock: @escaping @Sendable (any Transaction) throws -> Void, at address: String,
        _ body: (Occupation) async throws -> Value
    ) async throws -> Value {
        let node = try await PostgresDatabase(url: address, settings: .patient)
        let value = try await Occupation.run(in: node, after: lock, body)
        await node.close()
        return value
    }

    // MARK: One node

    @Test(
        "share a transaction, and each is answered and applied once; if the time is over, the rest run in the next",
        arguments: [true, false])
    func shareTransaction(hasTime: Bool) async throws {
        var settings = PostgresSettings.patient
        if !hasTime { settings.joinedTime = .zero }
        try await server.withDatabase(settings) { (database: PostgresDatabase) in
            let (town, list, phones) = try Self.crowd(database, 10)
            let before = try await Self.sequence(of: list, in: database)
            let answers = try await Self.push(
                Self.requests(of: phones, in: list), waitingFor: list, in: database, at: town.now)
            #expect(answers.count == 10)
            #expect(answers.allSatisfy { $0.device == .recognised && $0.acknowledged.number == 2 })
            let revisions = try await Self.revisions(of: list, after: before, in: database)
            #expect(revisions.count == 10 && Set(revisions).count == (hasTime ? 1 : 10))
            #expect(try await Self.sequence(of: list, in: database) == before + 10)
        }
    }

    @Test("What each reads after them sees the writes of all") func readsAfter() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (_, list, phones) = try Self.crowd(database, 5)
            try await database.write { try $0.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY)") }
            let turns = phones.map { FeedTurn(of: list, for: FeedTurn.Device($0.device, of: $0.account)) }
            let counts = try await Self.run(
                for: Array(turns.enumerated()), waitingFor: list, in: database
            ) { index, turn in
                let number = Int64(index)
                let (written, read) = try await database.write(inTurn: turn) { transaction in
                    try transaction.execute("INSERT INTO note (id) VALUES (?)", [.integer(number)])
                    return number
                } thenRead: { written, transaction in
                    #expect(written == number)
                    return try transaction.query("SELECT id FROM note").count
                }
                #expect(written == number)
                return try read.get()
            }
            #expect(counts == [5, 5, 5, 5, 5])
        }
    }

    /// What a write does that fails.
    enum Fault: CaseIterable { case throwing, failedStatement }

    @Test("The failure of one harms no other", arguments: Fault.allCases) func failure(fault: Fault) async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (_, list, phones) = try Self.crowd(database, 5)
            try await database.write { try $0.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY)") }
            let turns = phones.map { FeedTurn(of: list, for: FeedTurn.Device($0.device, of: $0.account)) }
            let failed = try await Self.run(
                for: Array(turns.enumerated()), waitingFor: list, in: database
            ) { index, turn -> Int64? in
                let number = Int64(index)
                do {
                    try await database.write(inTurn: turn) { transaction in
                        try transaction.execute("INSERT INTO note (id) VALUES (?)", [.integer(number)])
                        if number != 2 { return }
                        if fault == .throwing { throw Refusal() }
                        try transaction.execute("SELECT 1 / 0")
                    }
                    return nil
                } catch let error where error is Refusal || (error as? ServerError)?.code == .internalError {
                    return number
                }
            }
            #expect(failed.compactMap(\.self) == [2])
            let written = try await database.read { transaction in
                try transaction.query("SELECT id FROM note ORDER BY id").map { try $0.integer(0) }
            }
            #expect(written == [0, 1, 3, 4])
        }
    }

    @Test("do not wait for a device that is locked elsewhere; its own push does") func lockedDevice() async throws {
        try await server.withDatabase { database, address in
            let (town, list, phones) = try Self.crowd(database, 4)
            let requests = Self.requests(of: phones, in: list)
            let before = try await Self.sequence(of: list, in: database)
            let (account, device, now) = (phones[0].account, phones[0].device, town.now)
            let lock: @Sendable (any Transaction) throws -> Void = {
                _ = try $0.query(
                    "SELECT 1 FROM device WHERE account = ? AND id = ? FOR UPDATE", [.id(account), .id(device)])
            }
            let answers = try await Self.withLock(lock, at: address) { occupation in
                async let answers = Self.push(requests, waitingFor: list, in: database, at: now)
                try await Limit("three are applied").until {
                    try await Self.sequence(of: list, in: database) == before + 3
                }
                occupation.release()
                return try await answers
            }
            #expect(answers.count == 4)
            #expect(try await Self.sequence(of: list, in: database) == before + 4)
        }
    }

    @Test("If the answer to their commit is lost, the outcome of each is unknown") func lostCommit() async throws {
        try await server.withDatabase { database, address in
            let (_, list, phones) = try Self.crowd(database, 3)
            try await server.letCommitsSleep(at: address)
            let unknown = try await Self.run(
                for: phones.map { FeedTurn.Device($0.device, of: $0.account) }, waitingFor: list, in: database,
                then: { try await server.endSleepingCommit(at: address) }
            ) { device in
                do {
                    try await database.write(inTurn: FeedTurn(of: list, for: device)) { transaction in
                        try transaction.execute("INSERT INTO meta (name, value) VALUES (?, '')", [.text("\(device)")])
                    }
                    return false
                } catch let error as ServerError {
                    return error.cause is UnknownOutcome
                }
            }
            #expect(unknown == [true, true, true])
        }
    }

    /// Lets a write for each device wait for the list's turn, then lets them go on.
    ///
    /// - Returns: The number of the transaction of each; nil for the one at `refused`, which throws an error.
    private static func transactions(
        of devices: [FeedTurn.Device], refused: Int? = nil, waitingFor list: FeedID, in database: PostgresDatabase
    ) async throws -> [Int64?] {
        let number = "SELECT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)"
        return try await run(for: Array(devices.enumerated()), waitingFor: list, in: database) { index, device in
            do {
                return try await database.write(inTurn: FeedTurn(of: list, for: device)) { transaction in
                    if index == refused { throw Refusal() }
                    return try transaction.query(number)[0].integer(0)
                }
            } catch is Refusal {
                return nil
            }
        }
    }

    @Test("If one of them refuses, only that one runs alone, and the others share transactions again")
    func refusal() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (_, list, phones) = try Self.crowd(database, 5)
            let devices = phones.map { FeedTurn.Device($0.device, of: $0.account) }
            let numbers = try await Self.transactions(of: devices, refused: 2, waitingFor: list, in: database)
            let written = numbers.compactMap(\.self)
            // Those before it and those after it, in their order, share one each.
            #expect(numbers.count == 5 && written.count == 4)
            #expect(Set(written).count <= 2)
        }
    }

    @Test("A device without a row shares the transaction, though it claims to have sent before")
    func forgottenDevice() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, list, phones) = try Self.crowd(database, 2)
            var devices = phones.map { FeedTurn.Device($0.device, of: $0.account) }
            devices.append(FeedTurn.Device(town.id(), of: phones[0].account))
            let numbers = try await Self.transactions(of: devices, waitingFor: list, in: database)
            #expect(numbers.count == 3 && Set(numbers).count == 1)
        }
    }

    // MARK: Several nodes

    @Test("leave the connections to other lists, while another node has locked the list") func otherLists() async throws
    {
        var settings = PostgresSettings.patient
        settings.connections = 3
        settings.writers = 2
        try await server.withDatabase(settings) { database, address in
            let (town, hot, phones) = try Self.crowd(database, 6)
            let (other, quiet) = (town.id(Feed.self), phones[0].home)
            var owner = phones[0]
            try owner.sync(owner.create(other))
            let service = SyncService(database: database)
            let now = town.now
            let requests = Self.requests(of: Array(phones[1...]), in: hot)
            try await Self.withLock({ _ = try FeedRow.lock([hot], in: $0) }, at: address) { occupation in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, request) in requests.enumerated() {
                        group.addTask { _ = try await service.sync(request, as: request.account, at: now) }
                        guard index == 0 else { continue }
                        // It waits for the list before the others come, so they do not share its transaction.
                        let blocked = "count(*) = 1 FROM pg_locks WHERE NOT granted"
                        try await server.wait(until: blocked, at: address)
                    }
                    try await Limit("four pushes wait for their turn").until { database.waiting == 4 }
                    for feed in [other, quiet] {
                        let mutation =
                            feed == other ? owner.item(town.id(), in: other) : owner.profile(["given": "Ada"])
                        let request = owner.request([mutation])
                        let answer = try await service.sync(request, as: owner.account, at: now).answer
                        #expect(answer.acknowledged.number == request.mutations.last?.number)
                        owner.apply(answer)
                    }
                    #expect(database.waiting == 4)
                    occupation.release()
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("A new item with the id of another list does not wait for that list") func claimedID() async throws {
        var settings = PostgresSettings.patient
        settings.lockTime = .seconds(2)
        try await server.withDatabase(settings) { database, address in
            let (town, first, list) = try Town.withList(database)
            var ada = first
            let other: FeedID = town.id()
            try ada.sync(ada.create(other))
            let request = ada.request([ada.item(other.retyped(), in: list)])
            let (service, now) = (SyncService(database: database), town.now)
            try await Self.withLock({ _ = try FeedRow.lock([other], in: $0) }, at: address) { _ in
                #expect(await errorCode { try await service.sync(request, as: request.account, at: now) } == nil)
            }
        }
    }

    @Test("through two nodes: nothing is lost, doubled or out of order, though some are sent to both at once")
    func twoNodes() async throws {
        try await server.withDatabase { database, address in
            let (town, list, phones) = try Self.crowd(database, 8)
            let other = try await PostgresDatabase(url: address, settings: .patient)
            let services = [SyncService(database: database), SyncService(database: other)]
            let before = try await Self.sequence(of: list, in: database)
            let (rounds, now) = (12, town.now)
            let requests = phones.map { Self.requests(rounds, of: $0, in: list) }
            let sequences = try await withThrowingTaskGroup(of: [Int64].self) { group in
                for (number, requests) in requests.enumerated() {
                    group.addTask {
                        var sequences: [Int64] = []
                        for (round, request) in requests.enumerated() {
                            let node = services[(number + round) % 2]
                            async let answer = node.sync(request, as: request.account, at: now).answer
                            if round % 3 == 0 {
                                let again = services[(number + round + 1) % 2]
                                _ = try await again.sync(request, as: request.account, at: now)
                            }
                            let records = try await answer.records
                            sequences += records.map(\.change.sequence)
                        }
                        return sequences
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let count = Int64(phones.count * rounds)
            #expect(sequences.allSatisfy { $0.count == rounds && $0 == $0.sorted() })
            #expect(Set(sequences.joined()) == Set((before + 1)...(before + count)))
            #expect(try await Self.sequence(of: list, in: database) == before + count)
            let revisions = try await Self.revisions(of: list, after: before, in: database)
            #expect(revisions.count == Int(count))
            await other.close()
        }
    }

    /// The requests of a device with one item each, as if each was answered before the next.
    private static func requests(_ count: Int, of phone: Phone, in list: FeedID) -> [SyncRequest] {
        var phone = phone
        return (0..<count).map { _ in
            let request = phone.request([phone.item(phone.town.id(), in: list)])
            for mutation in request.mutations {
                phone.acknowledged = Acknowledgement(number: mutation.number, hash: mutation.hash)
            }
            return request
        }
    }
}
