import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("The log of a SQLite file", .timeLimit(.minutes(15))) struct DurableLogTests {
    private struct Missing: Error {}

    private let folder = Folder()
    private let disk = HeldDisk()

    private func open() throws -> SQLiteDatabase {
        try SQLiteDatabase(path: folder.database, migrations: Migrations(), storing: disk.store)
    }

    /// Begins to write a name on a held disk. Returns when the commit can be seen.
    private func beginToPut(_ name: String, in database: SQLiteDatabase) async throws -> Task<Void, any Error> {
        let writing = Task { try await database.put(name) }
        while try !database.has(name) { await Task.yield() }
        return writing
    }

    /// Gives what runs in `task` a moment to end too early, and returns whether it has.
    private func ends<T: Sendable>(_ task: Task<T, any Error>) async -> Bool {
        let hasEnded = Mutex(false)
        let watching = Task {
            _ = await task.result
            hasEnded.withLock { $0 = true }
        }
        for _ in 0..<100 where !hasEnded.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
        let result = hasEnded.withLock { $0 }
        if result { await watching.value }
        return result
    }

    @Test("If the database is named by a link, the log beside its target is stored") func links() async throws {
        let (link, target) = (folder.url.appending(path: "link").path, folder.url.appending(path: "target").path)
        let first = try SQLiteDatabase(path: target).epoch()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        // A log that an earlier database of this name has left.
        try Data().write(to: URL(filePath: link + "-wal"))
        let stored = Mutex<Set<String>>([])
        let database = try SQLiteDatabase(path: link, migrations: Migrations()) { descriptor in
            let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            stored.withLock { _ = $0.insert(name ?? "") }
            return 0
        }
        try await database.put("new")
        #expect(stored.withLock { $0 } == [target + "-wal"])
        // A file that comes to this name is not the one that the last server has left here.
        #expect(try database.epoch() != first)
    }

    @Test("A link that leads nowhere is refused, and stays") func brokenLink() throws {
        let link = folder.url.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/nowhere/db.sqlite")
        let error = #expect(throws: ServerError.self) { try SQLiteDatabase(path: link) }
        #expect(error?.code == .busy)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/nowhere/db.sqlite")
    }

    @Test("A write is answered when the disk has stored its commit, and not before")
    func writesAreDurable() async throws {
        let database = try open()
        disk.hold()
        let writing = try await beginToPut("new", in: database)
        #expect(await !ends(writing))
        disk.goOn()
        try await writing.value
    }

    @Test("A read that has seen a commit ends when the disk has stored it, a check before another transaction at once")
    func readsAreDurable() async throws {
        let database = try open()
        disk.hold()
        let writing = try await beginToPut("new", in: database)
        let isThere: @Sendable (any Transaction) throws -> Bool = { transaction in
            try !transaction.query("SELECT 1 FROM meta WHERE name = 'new'").isEmpty
        }
        #expect(try await database.check(isThere))
        let peeking = Task { try await database.peek(isThere) }
        let reading = Task { try await database.read(isThere) }
        let failing = Task { try await database.read { _ in throw Missing() } }
        #expect(await !ends(peeking))
        #expect(await !ends(reading))
        #expect(await !ends(failing))
        disk.goOn()
        #expect(try await peeking.value)
        #expect(try await reading.value)
        await #expect(throws: Missing.self) { try await failing.value }
        try await writing.value
    }

    @Test("Writes go on while the disk stores earlier ones, and share the next wait")
    func writesGoOn() async throws {
        let database = try open()
        let (begun, stored) = (disk.begun, disk.stored)
        disk.hold()
        var writing = [try await beginToPut("0", in: database)]
        while disk.begun == begun { await Task.yield() }
        for number in 1..<20 { writing.append(try await beginToPut("\(number)", in: database)) }
        disk.goOn()
        for write in writing { try await write.value }
        // The disk goes on when the last commit can be seen, which is a moment before it is counted.
        #expect((2...3).contains(disk.stored - stored))
    }

    @Test("After a power failure, everything that was answered is there")
    func powerFailure() async throws {
        /// What the disk has: the names in the log and the file after each time that it has stored them.
        let onDisk = Mutex<[Set<String>]>([])
        let folder = folder
        let disk = HeldDisk {
            // A commit that is being written is not whole in the copy, and SQLite ignores it.
            let names = try? folder.namesInCopy(onDisk.withLock(\.count))
            onDisk.withLock { $0.append(names ?? []) }
        }
        let database = try SQLiteDatabase(path: folder.database, migrations: Migrations(), storing: disk.store)
        database.timeOfWrites = .zero
        let missing = Mutex<[String]>([])
        /// Writes names, one after the other, and notes those that the disk did not have when the answer came.
        let write: @Sendable (Int) async throws -> Void = { device in
            for number in 0..<10 {
                let name = "name \(device) \(number)"
                try await database.put(name)
                if onDisk.withLock({ $0.last?.contains(name) }) != true { missing.withLock { $0.append(name) } }
            }
        }
        try await withThrowingTaskGroup { group in
            for device in 0..<8 { group.addTask { try await write(device) } }
            try await group.waitForAll()
        }
        #expect(missing.withLock(\.self) == [])
    }

    @Test("If the disk fails, no write or read is answered any more, and opening the file again has everything")
    func diskFails() async throws {
        do {
            let database = try open()
            try await database.put("stored")
            disk.hold()
            let writing = try await beginToPut("doubtful", in: database)
            let reading = Task { try await database.read { try $0.query("SELECT name FROM meta").count } }
            disk.fail(EIO)
            disk.goOn()
            let failures = [
                await #expect(throws: ServerError.self) { try await writing.value },
                await #expect(throws: ServerError.self) { try await reading.value },
            ]
            for failure in failures {
                #expect(failure?.code == .busy && failure?.sentence.contains("Input/output error") == true)
                #expect((failure?.cause as? any DatabaseFailure)?.kind == .unwritable)
            }
            // The disk works again, but has perhaps forgotten what it could not store.
            disk.fail(0)
            await #expect(throws: ServerError.self) { try await database.put("later") }
            await #expect(throws: ServerError.self) { try await database.read { try $0.query("SELECT 1").count } }
            #expect(throws: ServerError.self) { try database.newEpoch() }
        }
        let reopened = try open()
        #expect(try reopened.has("stored") && reopened.has("doubtful") && !reopened.has("later"))
        try await reopened.put("later")
    }

    @Test("Opening a file copies the log of a server that was killed to it")
    func killedServer() async throws {
        let database = try open()
        try await database.put("in the log")
        let copy = try folder.copyOfDatabase("killed")
        let reopened = try SQLiteDatabase(path: copy)
        // Of this copy, only the file itself is left.
        let alone = folder.url.appending(path: "alone.sqlite").path
        try FileManager.default.copyItem(atPath: copy, toPath: alone)
        #expect(try SQLiteDatabase(path: alone).has("in the log"))
        withExtendedLifetime(reopened) {}
    }
}

extension Folder {
    /// Copies the file and the log of the database, as they are.
    fileprivate func copyOfDatabase(_ name: String) throws -> String {
        let copy = url.appending(path: "\(name).sqlite").path
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: database + suffix, toPath: copy + suffix)
        }
        return copy
    }

    /// The names in a copy of the database.
    fileprivate func namesInCopy(_ number: Int) throws -> Set<String> {
        let copy = try SQLiteDatabase(besideServer: copyOfDatabase("copy \(number)"))
        return try copy.readNow { Set(try $0.query("SELECT name FROM meta").map { try $0.text(0) }) }
    }
}
