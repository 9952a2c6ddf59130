import BenchReport
import Foundation
import KithModel
import KithServer

/// Measures the round in which a device reads one change of another one, in small and large accounts.
struct DeltaRound {
    /// Two devices of an account.
    private struct Account {
        let writer: SyncDevice
        let reader: SyncDevice
        let list: FeedID
        var samples = Samples()

        init(_ session: NewSession, port: Int, items: Int) throws {
            reader = SyncDevice(session, port: port)
            writer = SyncDevice(session, port: port)
            let count = try reader.catchUp()
            precondition(count > items, "Only \(count) of \(items) items were read.")
            writer.follow(reader)
            list = try writer.makeList()
            try reader.catchUp()
        }

        mutating func change() throws {
            try writer.glance(at: writer.connection.ask(writer.request(writer.items(0..<1, in: list))))
            let (reader, request) = (reader, reader.request())
            let answer = try samples.time { try reader.connection.ask(request) }
            let changes = try reader.adopt(answer).feeds.flatMap(\.changes)
            precondition(changes.count == 1, "There are \(changes.count) changes instead of one.")
        }
    }

    let run: Run

    func measure() throws {
        let sizes = [1_000, run.size(100_000, smoke: 2_000), run.size(1_000_000, smoke: 4_000)]
        let file = run.folder.appending(path: "delta.sqlite")
        let sessions = try {
            let database = try SQLiteDatabase(path: file.path())
            // A list has at most 200,000 records.
            return try sizes.map {
                try DatabaseAuthor.makeAccount(lists: max(1, $0 / 100_000), items: $0, in: database)
            }
        }()
        let server = try run.serve(file)
        var accounts = try zip(sessions, sizes).map { try Account($0, port: server.port, items: $1) }
        for _ in 0..<run.size(500, smoke: 20) {
            for index in accounts.indices { try accounts[index].change() }
        }
        for (size, account) in zip(sizes, accounts) {
            run.line(
                "one change among \(size.grouped) records, p50", .time(account.samples.p50),
                wanted: .atMost(.milliseconds(0.5)))
        }
        run.line(
            "one change among \(sizes[2].grouped) records, p50", .time(accounts[2].samples.p50),
            beside: .init("among \(sizes[0].grouped)", .time(accounts[0].samples.p50)),
            wanted: .atMostTimes(1.15))
    }
}
