import Foundation
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite(
    "A copy of a SQLite database to PostgreSQL", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct DatabaseCopyTests {
    private struct Killed: Error {}

    private let server: PostgresServer
    private let folder = Folder()

    init() throws {
        server = try #require(PostgresServer.current)
    }

    // MARK: Worlds

    /// Adds rows with each kind of value to every table.
    private static func fill(_ database: SQLiteDatabase, rows count: Int64 = 40) throws {
        try database.writeNow { transaction in
            for table in try StoredTable.all(in: transaction) {
                let rows = (1...count).map { number in
                    table.columns.map { column -> SQLValue in
                        switch column.type {
                        case "TEXT": .text(number.isMultiple(of: 2) ? "ü \(number)" : "Z'\(number)\u{1F6D2}")
                        case "BIGINT": .integer(number.isMultiple(of: 3) ? -number : number)
                        default: .bytes(Self.bytes(number))
                        }
                    }
                }
                try transaction.insert(into: table.name, table.columnNames, rows, replacing: table.keyNames)
            }
        }
    }

    /// Sixteen bytes, in another order than the numbers.
    private static func bytes(_ number: Int64) -> Data {
        let others = (Int64(1)..<16).map { UInt8(truncatingIfNeeded: number &* 37 &+ $0) }
        return Data([UInt8(truncatingIfNeeded: number >> 8)] + others)
    }

    /// All rows of a table, without its order.
    private static func rows(
        of table: String, in database: any Database, where condition: String = "1 = 1"
    ) async throws -> Set<SQLRow> {
        try await database.read { transaction in
            guard let known = try StoredTable.all(in: transaction).first(where: { $0.name == table }) else { return [] }
            let columns = known.columnNames.joined(separator: ", ")
            return Set(try transaction.query("SELECT \(columns) FROM \(table) WHERE \(condition)"))
        }
    }

    /// Copies, and ends the copy after this number of transactions.
    @discardableResult
    private func copy(
        _ source: SQLiteDatabase, to address: String, killedAfter commits: Int = .max
    ) async throws -> CopyReport {
        let left = Mutex(commits)
        let target = try PostgresDatabase(copying: source.server, to: address)
        let copy = DatabaseCopy(from: source, to: target) {
            let isLast = left.withLock { left in
                left -= 1
                return left <= 0
            }
            if isLast { throw Killed() }
        }
        do {
            let report = try await copy.run()
            await target.close()
            return report
        } catch {
            await target.close()
            throw error
        }
    }

    /// Compares all rows of all tables.
    private func expectEqual(_ source: SQLiteDatabase, _ address: String) async throws {
        let target = try await PostgresDatabase(url: address)
        for table in try source.readNow({ try StoredTable.all(in: $0) }) {
            let condition = table.name == "meta" ? "name <> 'incarnation'" : "1 = 1"
            let left = try await Self.rows(of: table.name, in: source, where: condition)
            let right = try await Self.rows(of: table.name, in: target, where: condition)
            #expect(left == right, "\(table.name)")
        }
        #expect(target.server == source.server)
        #expect(try await target.epoch() == source.epoch())
        await target.close()
    }

    // MARK: The whole

    @Test("has every table and every row, the server’s id and its epoch") func whole() async throws {
        let source = try SQLiteDatabase(path: folder.database)
        try Self.fill(source)
        let address = try await server.address()
        let report = try await copy(source, to: address)
        let names = try source.readNow { transaction in
            try transaction.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
                .map { try $0.text(0) }.filter { !$0.hasPrefix("sqlite_") }
        }
        #expect(report.tables.map(\.name) == names.filter { $0 != "meta" })
        #expect(report.tables.allSatisfy { $0.digest.rows >= 40 })
        #expect(report.copied == report.rows)
        #expect(report.server == source.server)
        try await expectEqual(source, address)
    }

    @Test("Trap: PostgreSQL stores no NUL, and an older server has taken one from a client – it is left out")
    func nul() async throws {
        let source = try SQLiteDatabase(path: folder.database)
        try Self.fill(source)
        try source.writeNow { try $0.execute("UPDATE session SET device = ?", [.text("Ada’s\0 phone\0")]) }
        let address = try await server.address()
        for _ in 0..<2 { try await copy(source, to: address) }
        #expect(Set(try await server.sql("SELECT device FROM session", at: address)) == ["Ada’s phone"])
    }

    @Test("A new table is copied without being named: both databases have the same tables, columns and keys")
    func tables() async throws {
        let source = try SQLiteDatabase(path: folder.database)
        let tables = try source.readNow { try StoredTable.all(in: $0) }
        #expect(tables.count > 50 && tables.allSatisfy { !$0.keyNames.isEmpty })
        #expect(tables.flatMap(\.columns).allSatisfy { ["BIGINT", "TEXT", "BYTES"].contains($0.type) })
        try await server.withDatabase { target, address in
            let others = try await target.read { try StoredTable.all(in: $0) }
            #expect(others == tables)
            let names = try await server.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", at: address)
            #expect(Set(names) == Set(tables.map(\.name)))
        }
        try source.writeNow { try $0.execute("CREATE TABLE novelty (id BIGINT NOT NULL PRIMARY KEY)") }
        #expect(try source.readNow { try StoredTable.all(in: $0) }.map(\.name).contains("novelty"))
    }

    @Test(
        "Trap: the language of the database orders texts otherwise – the order of a copy is that of their bytes",
        .disabled("This PostgreSQL is built without ICU.") { try await PostgresServer.lacksICU })
    func languages() async throws {
        let source = try SQLiteDatabase(path: folder.database)
        try Self.fill(source, rows: 300)
        // ICU has a word order on every machine.
        let address = try await server.address(["--locale-provider=icu", "--icu-locale=en", "--locale=C"])
        let report = try await copy(source, to: address)
        #expect(report.copied == report.rows)
        try await expectEqual(source, address)
    }

    // MARK: Interruptions

    @Test("goes on wherever it was killed, and no server opens it before", arguments: [2, 3, 7])
    func killed(commits: Int) async throws {
        let source = try SQLiteDatabase(path: folder.database)
        try Self.fill(source)
        let address = try await server.address()
        var kills = 0
        while true {
            do {
                let report = try await copy(source, to: address, killedAfter: commits)
                #expect(report.copied < report.rows)
                break
            } catch is Killed { kills += 1 }
            if kills == 5 {
                let error = await #expect(throws: ServerError.self) { _ = try await PostgresDatabase(url: address) }
                #expect(error?.sentence.contains("unfinished copy") == true)
                let ofCommand = await #expect(throws: ServerError.self) {
                    _ = try await PostgresDatabase(besideServer: address)
                }
                #expect(ofCommand?.code == ServerError.cannotOpen && ofCommand?.sentence == error?.sentence)
            }
            try #require(kills < 1_000)
        }
        #expect(kills > 10)
        try await expectEqual(source, address)
    }

    @Test("A kill after the last transaction is no failure: the next run compares, and copies nothing")
    func finished() async throws {
        let source = try SQLiteDatabase(path: folder.database)
        try Self.fill(source)
        let address = try await server.address()
        let first = try await copy(source, to: address)
        let second = try await copy(source, to: address)
        #expect(first.copied > 0 && second.copied == 0)
        #expect(first.tables == second.tables)
    }

    @Test("Trap: the server ran again between two runs – what it has changed is copied, and what it has deleted is not")
    func changedBetweenRuns() async throws {
        let source = try SQLiteDatabase(path: folder.database)
        try Self.fill(source)
        let address = try await server.address()
        await #expect(throws: Killed.self) { try await copy(source, to: address, killedAfter: 90) }
        try source.writeNow { transaction in
            try transaction.execute("UPDATE account SET kind = 'changed' WHERE created > 20")
            try transaction.execute("DELETE FROM code WHERE created < 20")
            // A row with another key that is unique by another column.
            try transaction.execute("UPDATE link SET id = ? WHERE created = 1", [.bytes(Data(repeating: 9, count: 16))])
        }
        try await copy(source, to: address)
        try await expectEqual(source, address)
    }

    // MARK: Verification

    @Test("A row that is changed on its way is detected, and the copy is not finished") func changedRow() async throws {
        let source = try SQLiteDatabase(path: folder.database)
        try Self.fill(source)
        let address = try await server.address()
        await #expect(throws: Killed.self) { try await copy(source, to: address, killedAfter: 1) }
        try await server.sql(
            """
            CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN IF NEW.created = 7 THEN NEW.kind = 'spoilt'; END IF; RETURN NEW; END $$
            """, "CREATE TRIGGER spoiling BEFORE INSERT ON account FOR EACH ROW EXECUTE FUNCTION spoil()", at: address)
        let error = await #expect(throws: ServerError.self) { try await copy(source, to: address) }
        #expect(error?.code == DatabaseCopy.differs)
        #expect(error?.sentence.contains(" account.") == true)
        await #expect(throws: ServerError.self) { _ = try await PostgresDatabase(url: address) }
        try await server.sql("DROP TRIGGER spoiling ON account", at: address)
        try await copy(source, to: address)
        try await expectEqual(source, address)
    }

    @Test("A finished copy that was changed since is refused, and stays as it is") func changedLater() async throws {
        let source = try SQLiteDatabase(path: folder.database)
        try Self.fill(source)
        let address = try await server.address()
        try await copy(source, to: address)
        try await server.sql("UPDATE account SET kind = 'later' WHERE created = 7", at: address)
        #expect(await errorCode { try await copy(source, to: address) } == .conflict)
        #expect(try await server.sql("SELECT count(*) FROM account WHERE kind = 'later'", at: address) == ["1"])
    }

    @Test("says which feeds had a wrong digest before, and what to do about it") func digests() async throws {
        let town = try Town(SQLiteDatabase(path: folder.database))
        var ada = try town.phone()
        let lists: [FeedID] = (0..<3).map { _ in town.id() }
        try ada.sync(lists.map { ada.create($0) } + lists.map { ada.item(town.id(), in: $0) })
        let right = try await copy(town.sqlite, to: try await server.address())
        #expect(right.feeds == 4 && right.wrongFeeds.isEmpty)
        #expect(right.verdict == "The digests of all 4 feeds fit their records.")
        try town.database.writeNow { [list = lists[1]] transaction in
            try transaction.execute("UPDATE feed SET digest = digest + 1 WHERE id = ?", [.id(list)])
        }
        let wrong = try await copy(town.sqlite, to: try await server.address())
        #expect(wrong.wrongFeeds == [lists[1]])
        #expect(wrong.verdict.contains("\(lists[1])") && wrong.verdict.contains("run the same command with --json"))
    }

    // MARK: Refusals

    @Test("A target with other data is refused, and nothing is changed in it") func occupied() async throws {
        let source = try SQLiteDatabase(path: folder.database)
        let foreign = try await server.address()
        try await server.sql("CREATE TABLE note (id BIGINT PRIMARY KEY)", at: foreign)
        #expect(await errorCode { try await copy(source, to: foreign) } == .conflict)
        let tables = try await server.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", at: foreign)
        #expect(tables == ["note"])
        try await server.withDatabase { other, address in
            #expect(await errorCode { try await copy(source, to: address) } == .conflict)
            let stays = try await other.read { try Self.server(in: $0) }
            #expect(stays == other.server.description)
        }
        // An unfinished copy of another server.
        let second = try SQLiteDatabase(path: folder.database + ".other")
        let address = try await server.address()
        await #expect(throws: Killed.self) { try await copy(second, to: address, killedAfter: 1) }
        #expect(await errorCode { try await copy(source, to: address) } == .conflict)
        try await copy(second, to: address)
    }

    private static func server(in transaction: any Transaction) throws -> String? {
        try transaction.query("SELECT value FROM meta WHERE name = 'server'").first?.text(0)
    }

    // MARK: Devices

    @Test("Devices go on with their tokens: no snapshot, and then only what is new") func tokens() async throws {
        let town = try Town(SQLiteDatabase(path: folder.database))
        var (ada, ben) = (try town.phone(), try town.phone())
        let lists: [FeedID] = (0..<3).map { _ in town.id() }
        try ada.sync(lists.map { ada.create($0) } + lists.map { ada.item(town.id(), in: $0) })
        for list in lists { try town.join(ben, list, of: ada, as: .editor) }
        try ben.sync()
        // Ben misses an edit before the move, and one after it.
        try ada.sync(ada.item(town.id(), in: lists[0]))
        let address = try await server.address()
        try await copy(town.sqlite, to: address)
        let target = try await PostgresDatabase(url: address)
        let service = SyncService(database: target)
        func sync(_ phone: inout Phone, _ mutations: [Mutation] = []) async throws -> SyncAnswer {
            let answer = try await service.sync(phone.request(mutations), as: phone.account, at: town.now).answer
            phone.apply(answer)
            return answer
        }
        let nothing = try await sync(&ada)
        #expect(nothing.feeds.isEmpty && nothing.lost.isEmpty && nothing.device == .recognised)
        let edited = try await sync(&ada, [ada.item(town.id(), in: lists[1])])
        #expect(edited.acknowledged.number == ada.acknowledged.number)
        let news = try await sync(&ben)
        #expect(Set(news.feeds.map(\.feed)) == Set(lists[0...1]))
        #expect(news.feeds.allSatisfy { $0.page == nil && $0.changes.count == 1 })
        for list in lists { #expect(ben.replica[list] == ada.replica[list]) }
        await target.close()
    }
}
