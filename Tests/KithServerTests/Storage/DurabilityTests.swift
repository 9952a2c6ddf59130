import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Acknowledged writes are durable", .timeLimit(.minutes(15))) struct DurabilityTests {
    /// How many writes share the commit under test.
    private static let group = 20

    @Test("SQLite waits for the disk at each commit of operators' programs; the server does so itself")
    func synchronous() async throws {
        try await Backend.file.withSQLite { database, folder in
            try await database.write { try $0.execute("UPDATE meta SET value = value") }
            let admin = try SQLiteDatabase(besideServer: folder.database)
            let reopened = try SQLiteDatabase(path: folder.database)
            // 2 is FULL, and 1 is NORMAL. With the latter, SQLite waits only before it copies the log, or begins it again.
            for (connection, level) in [(database, 1), (admin, 2), (reopened, 1)] {
                let modes = try await connection.write { transaction in
                    [
                        try transaction.query("PRAGMA journal_mode")[0].text(0),
                        String(try transaction.query("PRAGMA synchronous")[0].integer(0)),
                    ]
                }
                #expect(modes == ["wal", "\(level)"])
            }
        }
    }

    @Test(
        "If SQLite refuses a commit, each write that shares it gets an error, and none of them stays",
        arguments: Backend.embedded)
    func refusedCommit(backend: Backend) async throws {
        try await backend.withSQLite { database, _ in
            try await database.write { transaction in
                try transaction.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
                // What breaks such a reference is found at COMMIT, and not before it.
                try transaction.execute(
                    """
                    CREATE TABLE child (
                        id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED
                    )
                    """)
            }
            let outcomes = try await Self.together(in: database) { number in
                do {
                    try await database.write { transaction in
                        try transaction.execute(
                            "INSERT INTO child (id, parent) VALUES (?, ?)",
                            [.integer(Int64(number)), number == 7 ? .integer(1) : .null])
                    }
                    return false
                } catch { return error is ServerError }
            }
            #expect(outcomes == Array(repeating: true, count: Self.group))
            #expect(try await database.read { try $0.query("SELECT id FROM child").isEmpty })
            // The next commit is not in the way of the refused one.
            try await database.write { try $0.execute("INSERT INTO child (id) VALUES (1)") }
            #expect(try await database.read { try $0.query("SELECT id FROM child").count } == 1)
        }
    }

    @Test("While a commit is held, none of its writes is answered; then all are, and others can read them")
    func heldCommit() async throws {
        try await Backend.file.withSQLite { database, folder in
            try await database.write { try $0.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY)") }
            let beside = try SQLiteDatabase(besideServer: folder.database)
            let answered = Mutex(0)
            let early = Mutex<[Int]>([])
            database.onCommit = { moment in
                guard moment == .before else { return }
                // A moment in which an answer that is given too early arrives.
                for _ in 0..<300 where answered.withLock({ $0 }) == 0 { usleep(1_000) }
                let count = answered.withLock { $0 }
                early.withLock { $0.append(count) }
            }
            let areThere = try await Self.together(in: database) { number in
                do {
                    try await database.write {
                        try $0.execute("INSERT INTO note (id) VALUES (?)", [.integer(Int64(number))])
                    }
                    let isThere = try beside.readNow {
                        try !$0.query("SELECT id FROM note WHERE id = ?", [.integer(Int64(number))]).isEmpty
                    }
                    answered.withLock { $0 += 1 }
                    return isThere
                } catch { return false }
            }
            database.onCommit = nil
            #expect(areThere == Array(repeating: true, count: Self.group))
            let counts = early.withLock { $0 }
            // The first commit is that of the write for which the others wait.
            #expect(counts == [0, 0])
        }
    }

    @Test("The files of a killed server contain everything that it has acknowledged", arguments: Request.allCases)
    func killed(request: Request) async throws {
        try await Backend.file.withSQLite { database, folder in
            try await TestServer.run(database: database) { server in
                var device = TestDevice(try await server.newSession())
                let list = try await device.makeList("Groceries", with: server)
                let before = try request.rows(in: database)
                let isAnswered = Mutex(false)
                database.onCommit = { moment in
                    guard moment == .before else { return }
                    for _ in 0..<300 where !isAnswered.withLock({ $0 }) { usleep(1_000) }
                }
                let author = device
                async let asked = request.send(to: server, by: author, list)
                let status = try await asked
                let copy = try folder.copyOfDatabase()
                isAnswered.withLock { $0 = true }
                database.onCommit = nil
                #expect((200..<300).contains(status))
                #expect(try request.rows(in: SQLiteDatabase(path: copy)) == before + 1)
            }
        }
    }

    /// Requests that write.
    enum Request: String, CaseIterable, CustomTestStringConvertible {
        case edit, session, link, picture

        var testDescription: String { rawValue }
    }

    /// Runs `write` so many times, all in one commit: while another holds the writer, they come to wait.
    private static func together(
        in database: SQLiteDatabase, _ write: @escaping @Sendable (Int) async -> Bool
    ) async throws -> [Bool] {
        let count = group
        database.timeOfWrites = .seconds(600)
        async let first: Void = database.write { _ in
            while database.waiting < count { sched_yield() }
        }
        let answers = await withTaskGroup(of: Bool.self) { group in
            while !database.isCommitting { await Task.yield() }
            for number in 0..<count { group.addTask { await write(number) } }
            var answers: [Bool] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
        try await first
        return answers
    }
}

extension DurabilityTests.Request {
    /// Sends the request, and returns the status of its answer.
    fileprivate func send(to server: TestServer, by device: TestDevice, _ list: ListID) async throws -> Int {
        let token = device.session.token
        switch self {
        case .edit:
            let tea = device.mutation(1, .items, UUID(), in: list, set: ["title": "Tea", "position": "a0"])
            return try await server.ask("POST", "/v1/sync", token: token, json: device.request([tea])).status
        case .session:
            return try await server.ask("POST", "/v1/sessions").status
        case .link:
            return try await server.ask(
                "POST", "/v1/lists/\(list)/links", token: token, json: LinkRequest(role: .editor)
            ).status
        case .picture:
            let picture = Data([0xFF, 0xD8, 0xFF] + repeatElement(7, count: 40))
            return try await server.ask(
                "PUT", "/v1/pictures/\(Hex.text(Secret.sha256(picture)))", token: token,
                headers: ["Content-Type": "image/jpeg"], body: picture
            ).status
        }
    }

    /// How many rows there are of what the request adds one to.
    fileprivate func rows(in database: SQLiteDatabase) throws -> Int {
        let table =
            switch self {
            case .edit: "record WHERE collection = 'item'"
            case .session: "session"
            case .link: "link"
            case .picture: "picture"
            }
        return try database.readNow { Int(try $0.query("SELECT COUNT(*) FROM \(table)")[0].integer(0)) }
    }
}

extension Folder {
    /// Copies the database with its log, as a process that is killed leaves them, and returns the copy's path.
    fileprivate func copyOfDatabase() throws -> String {
        let copy = url.appending(path: "copy.sqlite").path
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: database + suffix, toPath: copy + suffix)
        }
        return copy
    }
}
