import Foundation
import Kith
import KithModel
import KithServer

/// A list of so many records, read from the server: whole, one change, nothing.
struct Reading {
    let records: Int
    private let server: SQLiteDatabase
    private let account: AccountID
    private let writer: Replica

    init(records: Int) throws {
        self.records = records
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
        var answers: [Duration] = []
        let clock = ContinuousClock()
        for run in 0..<50 {
            try writer.writeNow { try Changes($0, isGroup: false).setTicked(first, run % 2 == 0) }
            _ = try sync(writer)
            answers.append(try clock.measure { _ = try sync(reader) })
        }
        table.row(
            "delta of one change among \(records), both sides", table.microseconds(answers.sorted()[25]), "", "")
        let nothing = try median(of: 200) { _ in _ = try sync(reader) }
        table.row("round with nothing new among \(records), both sides", table.microseconds(nothing), "", "")
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
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kith-floor-\(UUID().uuidString)")
        let floor = Floor(path: folder.path)
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.path + suffix) }
        }
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
        let reader = try Replica(.inMemory)
        let account = account
        try reader.writeNow { try $0.adopt(account) }
        return reader
    }

    /// Rounds until nothing is left; JSON both ways.
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
    /// An identifier of version 7 as a device would make it, the `index`th of its row.
    fileprivate static func version7(_ index: Int) -> UUID {
        var random = SystemRandomNumberGenerator()
        return .version7(time: Timestamp(milliseconds: 1_790_000_000_000 + Int64(index)), using: &random)
    }
}
