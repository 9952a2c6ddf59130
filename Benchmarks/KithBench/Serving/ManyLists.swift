import BenchReport
import Foundation
import KithServer

/// Measures a round with nothing new for an account with many lists, beside one with a single list.
struct ManyLists {
    /// A device that has read everything.
    private struct Reader {
        let device: SyncDevice
        let body: Data
        let request: [UInt8]
        var samples = Samples()
        var down = 0

        init(_ session: SyncDevice) throws {
            device = session
            try device.catchUp()
            body = device.body()
            request = device.request(body: body)
        }

        mutating func ask() throws {
            let (device, request) = (device, request)
            let answer = try samples.time { try device.connection.ask(request) }
            guard answer.status == 200, AnswerGlance(answer.body)?.hasMore == false else {
                throw SyncDevice.Unexpected(answer)
            }
            down = answer.body.count
        }

        var bytes: Amount { .bytes(Double(body.count + down)) }
    }

    let run: Run

    func measure() throws {
        let counts = [1, run.size(100, smoke: 10), run.size(990, smoke: 40)]
        let file = run.folder.appending(path: "lists.sqlite")
        let sessions = try {
            let database = try SQLiteDatabase(path: file.path())
            return try counts.map { try DatabaseAuthor.makeAccount(lists: $0, items: $0, in: database) }
        }()
        let server = try run.serve(file)
        var readers = try sessions.map { try Reader(SyncDevice($0, port: server.port)) }
        for _ in 0..<run.size(1_500, smoke: 50) {
            for index in readers.indices { try readers[index].ask() }
        }
        let one = readers[0]
        for (count, reader) in zip(counts, readers).dropFirst() {
            run.line(
                "nothing new with \(count) lists, p50", .time(reader.samples.p50),
                beside: .init("one list", .time(one.samples.p50)), wanted: .atMostTimes(1.15))
            run.line(
                "nothing new with \(count) lists, bytes up and down", reader.bytes,
                beside: .init("one list", one.bytes),
                wanted: .atMostTimes(1.15))
        }
    }
}
