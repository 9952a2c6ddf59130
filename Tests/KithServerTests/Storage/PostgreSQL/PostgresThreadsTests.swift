import Foundation
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite(
    "The threads with connections to PostgreSQL", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresThreadsTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    /// Numbers in the order in which they came.
    private final class Order: Sendable {
        private let all = Mutex<[Int]>([])

        var numbers: [Int] { all.withLock { $0 } }

        func add(_ number: Int) { all.withLock { $0.append(number) } }
    }

    @Test("refuses a transaction while too many wait, and runs the others in their order") func fullQueue() async throws
    {
        var settings = PostgresSettings.patient
        settings.connections = 1
        settings.waiting = 3
        try await server.withDatabase(settings) { database in
            let order = Order()
            try await Occupation.run(in: database) { occupation in
                try await withThrowingTaskGroup { group in
                    for number in 0..<3 {
                        group.addTask {
                            let note: @Sendable (any Transaction) -> Void = { _ in order.add(number) }
                            if number == 1 { try await database.read(note) } else { try await database.write(note) }
                        }
                        try await Limit("\(number + 1) wait").until { database.waiting == number + 1 }
                    }
                    let error = await #expect(throws: ServerError.self) { try await database.read { _ in } }
                    #expect(error?.code == .busy && error?.retryAfter == .seconds(1))
                    #expect(error?.sentence == "3 transactions already wait for the database. Try again soon.")
                    occupation.release()
                    try await group.waitForAll()
                }
            }
            #expect(order.numbers == [0, 1, 2])
        }
    }

    @Test("refuses a transaction that has waited too long, and does not run it") func waitsTooLong() async throws {
        var settings = PostgresSettings.patient
        settings.connections = 1
        settings.waitingTime = .milliseconds(100)
        let address = try await server.address()
        let database = try await Self.withoutHaste { [settings] in
            try await PostgresDatabase(url: address, settings: settings)
        }
        let (order, occupation) = (Order(), Occupation())
        let holding = Task { try await Self.withoutHaste { try await database.write { occupation.hold($0) } } }
        try await occupation.waitUntilHeld()
        let late = Task { try await database.write { _ in order.add(0) } }
        try await Limit("one waits").until { database.waiting == 1 }
        try await Task.sleep(for: settings.waitingTime)
        occupation.release()
        try await holding.value
        let error = await #expect(throws: ServerError.self) { try await late.value }
        #expect(error?.code == .busy && error?.retryAfter == .seconds(1) && order.numbers.isEmpty)
        await database.close()
    }

    /// Repeats `work` until it is not refused: on a busy machine it may wait too long for a thread that has nothing to do.
    private static func withoutHaste<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Limit("it is not refused").wait {
            while true {
                try Task.checkCancellation()
                do { return try await work() } catch let error as ServerError where error.code == .busy {}
            }
        }
    }

    @Test("reads while all permitted writers wait for each other") func readersPass() async throws {
        var settings = PostgresSettings.patient
        settings.connections = 3
        settings.writers = 2
        try await server.withDatabase(settings) { database in
            let occupation = Occupation()
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await database.write { occupation.hold($0) } } }
                try await occupation.waitUntilHeld(2)
                try await Limit("two wait").until { database.waiting == 2 }
                #expect(try await database.read { try $0.query("SELECT 1") }.count == 1)
                #expect(database.waiting == 2)
                occupation.release(4)
                try await group.waitForAll()
            }
        }
    }

    @Test("with fewer connections than wanted, nobody is refused, and the log says once that some cannot be opened")
    func fewerConnections() async throws {
        try await server.sql("CREATE ROLE few LOGIN CONNECTION LIMIT 2")
        let address = try await server.address(["-O", "few"]).replacing("user=postgres", with: "user=few")
        var settings = PostgresSettings.patient
        settings.connections = 4
        let (database, log) = (try await PostgresDatabase(url: address, settings: settings), LogKeeper())
        database.log(to: log.logger)
        let shortage = "warning Only 2 of 4 connections to PostgreSQL are open."
        let occupation = Occupation()
        try await withThrowingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { try await database.write { occupation.hold($0) } }
                try await occupation.waitUntilHeld()
            }
            // The other two threads have no connection.
            for _ in 0..<8 { group.addTask { _ = try await database.read { try $0.query("SELECT 1") } } }
            try await Limit("a thread has tried to connect").until { log.text.contains(shortage) }
            occupation.release(2)
            try await group.waitForAll()
        }
        for _ in 0..<20 { _ = try await database.read { try $0.query("SELECT 1") } }
        #expect(log.text.split(separator: "\n").count { $0.hasPrefix(shortage) } == 1)
        #expect(log.text.contains("too many connections for role"))
        await database.close()
    }

    @Test("closing lets waiting transactions end, ends the connections, and refuses new transactions")
    func closing() async throws {
        let address = try await server.address()
        var settings = PostgresSettings.patient
        settings.connections = 2
        let database = try await PostgresDatabase(url: address, settings: settings)
        try await database.write { try $0.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY)") }
        let occupation = Occupation()
        let written = try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<6 as Range<Int64> {
                group.addTask {
                    try await database.write { transaction in
                        occupation.hold(transaction)
                        try transaction.execute("INSERT INTO note (id) VALUES (?)", [.integer(id)])
                    }
                }
            }
            try await occupation.waitUntilHeld(2)
            try await Limit("four wait").until { database.waiting == 4 }
            async let closed: Void = database.close()
            occupation.release(6)
            try await group.waitForAll()
            await closed
            return try await server.sql("SELECT count(*) FROM note", at: address)
        }
        #expect(written == ["6"])
        let error = await #expect(throws: ServerError.self) { try await database.read { _ in } }
        #expect(error?.code == .busy && error?.sentence == "The server is shutting down.")
        try await server.wait(
            until:
                "count(*) = 0 FROM pg_stat_activity WHERE application_name = 'kith' AND datname = current_database()",
            at: address)
        await database.close()
    }

    @Test("the last reference ends the connections") func lastReference() async throws {
        let address = try await server.address()
        do {
            let database = try await PostgresDatabase(url: address, settings: .patient)
            #expect(try await !database.epoch().isEmpty)
        }
        try await server.wait(
            until:
                "count(*) = 0 FROM pg_stat_activity WHERE application_name = 'kith' AND datname = current_database()",
            at: address)
    }
}
