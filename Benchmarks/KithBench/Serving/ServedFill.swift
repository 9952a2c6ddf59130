import BenchReport
import Foundation
import KithModel
import KithServer

/// Reads an account of many records from its beginning, as a new device does.
struct ServedFill {
    let server: KithServe
    let records: Int
    private let device: SyncDevice
    /// The requests of a first fill. A token says only how far its device has read, so they can be sent again.
    private let requests: [[UInt8]]
    /// The answers, as they were sent.
    let answers: [HTTPAnswer]

    /// Starts a server with an account that has `records` items in one list, and reads them once.
    init(_ records: Int, run: Run) throws {
        self.records = records
        let database = run.folder.appending(path: "fill.sqlite")
        let session = try DatabaseAuthor.makeAccount(
            lists: 1, items: records, in: SQLiteDatabase(path: database.path()))
        server = try run.serve(database)
        device = SyncDevice(session, port: server.port)
        var (requests, answers, items): ([[UInt8]], [HTTPAnswer], Int) = ([], [], 0)
        while true {
            requests.append(device.request())
            answers.append(try device.connection.ask(requests[requests.count - 1]))
            let answer = try device.adopt(answers[answers.count - 1])
            for columns in answer.feeds.flatMap({ $0.page?.columns ?? [] }) where columns.collection == .items {
                items += columns.count
            }
            if !answer.more { break }
        }
        precondition(items == records, "\(items) items instead of \(records) were read.")
        (self.requests, self.answers) = (requests, answers)
    }

    /// Reads everything again, without looking at it. Returns the bytes of the answers' bodies.
    func read() throws -> Int {
        var bytes = 0
        for request in requests {
            let answer = try device.connection.ask(request)
            guard answer.status == 200 else { throw SyncDevice.Unexpected(answer) }
            bytes += answer.body.count
        }
        return bytes
    }

    /// Measures the rows that the server sends in a second to a client that only reads the bytes.
    static func measureRate(_ run: Run) throws {
        let fill = try ServedFill(run.size(100_000, smoke: 2_000), run: run)
        let expected = fill.answers.reduce(0) { $0 + $1.body.count }
        var samples = Samples()
        for _ in 0..<run.size(11, smoke: 2) {
            let bytes = try samples.time { try fill.read() }
            // The time in the answers differs, and so does their compressed size.
            precondition(abs(bytes - expected) < 100 + expected / 100, "The answers have changed.")
        }
        run.line(
            "first fill of \(fill.records.grouped) rows, as the server sends them (gzip)",
            .perSecond(Double(fill.records) / (samples.p50 / .seconds(1))), wanted: .atLeast(.perSecond(300_000)))
        run.line("the most memory of the server meanwhile", .bytes(Double(fill.server.usage.peakMemory)))
    }
}
