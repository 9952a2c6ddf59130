import Foundation
import KithModel

/// A device with an open live stream, which performs a round when it hears that something has moved.
final class LiveDevice {
    struct Rejected: Error { let outcomes: [MutationOutcome] }

    let person: LivePerson
    let stream: NonblockingSocket
    /// The connection for rounds; nil for a device that only listens.
    var rounds: NonblockingSocket?
    var scanner = EventScanner()
    /// Whether the stream has been opened completely: it has said who is online.
    var isGreeted = false
    /// The records that this device has not read yet, and when each was written.
    private var awaited: [(record: RecordID<Never>, written: ContinuousClock.Instant)] = []
    /// Whether a round is in flight.
    private(set) var isAsking = false
    private var needsAnother = false
    private var answer = HTTPAnswerBuffer()
    private var waiting: [RecordID<Never>] = []
    private var acknowledged: Acknowledgement
    private var token: SyncToken?

    /// Opens the live stream.
    init(_ person: LivePerson, port: Int) throws {
        self.person = person
        acknowledged = person.acknowledged
        stream = try NonblockingSocket(port: port)
        try stream.send(
            Data(
                """
                GET /v1/live?device=\(person.device) HTTP/1.1\r
                Host: kith\r
                Authorization: Bearer \(person.session.token)\r
                Accept: text/event-stream\r
                \r\n
                """.utf8))
    }

    /// Whether everything that was awaited has been read.
    var hasReadAll: Bool { awaited.isEmpty }

    /// Awaits a record, from the moment at which it is written.
    func await(_ record: RecordID<Never>, from moment: ContinuousClock.Instant) { awaited.append((record, moment)) }

    /// Adds an item to the list, in a round that begins at once or after the one in flight.
    func add(_ item: RecordID<Never>) throws {
        waiting.append(item)
        try ask()
    }

    /// Begins a round, now or after the one in flight.
    func ask() throws {
        guard let rounds else { return }
        if isAsking {
            needsAnother = true
            return
        }
        isAsking = true
        let items = waiting
        waiting = []
        let mutations = items.enumerated().map { offset, item in
            Mutation(
                id: MutationID(UUID()), number: acknowledged.number + Int64(offset) + 1, feed: person.list,
                collection: .items, record: item, seen: 0, change: .set(["title": "Oat milk", "position": "a0"]))
        }
        let body = SyncRequest(
            account: person.session.account, device: person.device, acknowledged: acknowledged,
            sent: acknowledged.number + Int64(mutations.count), mutations: mutations, token: token
        ).json
        let head = """
            POST /v1/sync HTTP/1.1\r
            Host: kith\r
            Authorization: Bearer \(person.session.token)\r
            Content-Type: application/json\r
            Prefer: return=minimal\r
            Content-Length: \(body.count)\r
            \r\n
            """
        try rounds.send(Data(head.utf8) + body)
    }

    /// Reads what has come of the answer. If it is complete, calls `read` with the time from the writing of each awaited
    /// record that it contains.
    func receive(_ buffer: UnsafeMutableRawBufferPointer, _ read: (Duration) -> Void) throws {
        guard let rounds, let body = try answer.append(try rounds.receive(into: buffer)) else { return }
        let answer = try SyncAnswer(json: body)
        guard answer.outcomes.allSatisfy({ $0.result != .rejected }) else { throw Rejected(outcomes: answer.outcomes) }
        (acknowledged, token) = (answer.acknowledged, answer.token)
        if !awaited.isEmpty {
            let now = ContinuousClock.now
            let changed = Set(answer.feeds.flatMap { $0.changes.map(\.id) })
            awaited.removeAll { record, written in
                guard changed.contains(record) else { return false }
                read(now - written)
                return true
            }
        }
        isAsking = false
        if needsAnother || answer.more || !waiting.isEmpty {
            needsAnother = false
            try ask()
        }
    }
}
