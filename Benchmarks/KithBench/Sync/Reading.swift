import Foundation
import Kith
import KithModel
import KithServer

/// Measures reading a list of many records from the server: the whole list, one change, and nothing new.
struct Reading {
    let records: Int
    let folder: URL
    private let server: SQLiteDatabase
    private let account: AccountID
    private let writer: Replica

    init(records: Int, folder: URL) throws {
        self.records = records
        self.folder = folder
        server = try SQLiteDatabase.inMemory()
        account = try SessionService(database: server).openNow(at: Timestamp(Date()), on: server).account
        writer = try Replica(.inMemory)
        let account = account
        try writer.writeNow { try $0.adopt(account) }
    }

    func measure(into table: Table) throws {
        let list = try writer.writeNow { try Changes($0, isGroup: false).create("Large").id }
        try writer.writeNow { transaction in
            let changes = Changes(transaction, isGroup: false)
            let drafts = (0..<records).map { ItemDraft(title: "Something to buy, number \($0)") }
            _ = try changes.add(drafts, to: list)
        }
        _ = try sync(writer)
        if records >= 100_000 { try measureSnapshot(into: table) }

        let reader = try freshReader()
        _ = try sync(reader)
        let first = try writer.look().items[0].id
        let plain = PlainRound(records: records, folder: folder)
        let clock = ContinuousClock()
        var (deltas, plainDeltas): ([Duration], [Duration]) = ([], [])
        for run in 0..<50 {
            try writer.writeNow { try Changes($0, isGroup: false).setTicked(first, run % 2 == 0) }
            _ = try sync(writer)
            deltas.append(try clock.measure { _ = try sync(reader) })
            plain.change()
            plainDeltas.append(clock.measure { precondition(plain.carry() == 1) })
        }
        table.row("delta of one change among \(records), both sides", deltas.sorted()[25], plainDeltas.sorted()[25])
        try measureNothingNew("among \(records)", reader, plain, into: table)
    }

    /// Measures a round with nothing new for an account with `count` further lists.
    func measureLists(_ count: Int, into table: Table) throws {
        try writer.writeNow { transaction in
            for index in 0..<count { _ = try Changes(transaction, isGroup: false).create("List \(index)") }
        }
        _ = try sync(writer)
        let reader = try freshReader()
        _ = try sync(reader)
        try measureNothingNew("in \(count) lists", reader, PlainRound(records: 1, folder: folder), into: table)
    }

    private func measureNothingNew(
        _ place: String, _ reader: Replica, _ plain: PlainRound, into table: Table
    ) throws {
        let nothing = try median(of: 200) { _ in _ = try sync(reader) }
        let floor = median(of: 200) { _ in precondition(plain.carry() == 0) }
        table.row("round with nothing new \(place), both sides", nothing, floor)
        guard let request = try Rounds(replica: reader).begin() else { return }
        let answer = try SyncService.syncNow(request, as: account, at: Timestamp(Date()), on: server).answer
        let bytes = try (JSONEncoder().encode(request).count, JSONEncoder().encode(answer).count)
        table.row("  on the wire", "\(bytes.0) up, \(bytes.1) down, bytes", "", "")
    }

    private func measureSnapshot(into table: Table) throws {
        let reader = try freshReader()
        var (bytes, packed) = (0, 0)
        let clock = ContinuousClock()
        var applying = Duration.zero
        var reading = Duration.zero
        while true {
            guard let request = try Rounds(replica: reader).begin() else { break }
            var answer: SyncAnswer?
            var data = Data()
            reading += try clock.measure {
                data = try JSONEncoder().encode(
                    SyncService.syncNow(request, as: account, at: Timestamp(Date()), on: server).answer)
            }
            bytes += data.count
            packed += try Gzip.compress(data).count
            var next = Rounds.Next.done
            applying += try clock.measure {
                answer = try JSONDecoder().decode(SyncAnswer.self, from: data)
                next = try Rounds(replica: reader).finish(request, answer!)
            }
            if next != .again { break }
        }
        let floor = Floor(path: folder.appendingPathComponent("snapshot.sqlite").path)
        floor.createTables()
        let (list, creator) = (UUID().data, UUID().data)
        let plain = clock.measure {
            floor.run("BEGIN IMMEDIATE")
            for index in 0..<records {
                floor.insertItem(
                    list: list, id: UUID.version7(index).data, title: "Something to buy, number \(index)",
                    position: "d\(index)", creator: creator)
            }
            floor.run("COMMIT")
        }
        func rate(_ duration: Duration) -> String {
            String(format: "%.0f rows/s", Double(records) / (duration / .seconds(1)))
        }
        table.row(
            "snapshot of \(records) into a replica: decoded, applied", rate(applying), rate(plain),
            String(format: "%.2f", applying / plain))
        table.row("  the same on the server: read, encoded", rate(reading), "", "")
        table.row(
            "  on the wire", String(format: "%.1f bytes/row gzip", Double(packed) / Double(records)),
            String(format: "%.1f plain", Double(bytes) / Double(records)), "")
    }

    private func freshReader() throws -> Replica {
        let reader = try Replica(.file(folder.appendingPathComponent("reader-\(UUID().uuidString).sqlite")))
        let account = account
        try reader.writeNow { try $0.adopt(account) }
        return reader
    }

    /// Performs rounds until nothing is left to sync, with JSON in both directions, and returns their number.
    private func sync(_ replica: Replica) throws -> Int {
        let rounds = Rounds(replica: replica)
        var count = 0
        while let request = try rounds.begin() {
            count += 1
            let carried = try JSONDecoder().decode(SyncRequest.self, from: JSONEncoder().encode(request))
            let answer = try SyncService.syncNow(carried, as: account, at: Timestamp(Date()), on: server).answer
            let heard = try JSONDecoder().decode(SyncAnswer.self, from: JSONEncoder().encode(answer))
            if try rounds.finish(request, heard) != .again { return count }
        }
        return count
    }
}

extension UUID {
    /// A UUID of version 7, as a device creates it; `index` determines its time.
    fileprivate static func version7(_ index: Int) -> UUID {
        var random = SystemRandomNumberGenerator()
        return .version7(time: Timestamp(milliseconds: 1_790_000_000_000 + Int64(index)), using: &random)
    }
}
