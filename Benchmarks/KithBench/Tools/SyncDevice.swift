import Foundation
import KithModel
import KithServer

/// A device that speaks the protocol of a round over one connection, without a replica.
final class SyncDevice {
    /// An answer that is not the expected one.
    struct Unexpected: Error, CustomStringConvertible {
        let description: String

        init(_ answer: HTTPAnswer) { description = "\(answer.status): \(answer.text.prefix(300))" }
    }

    let connection: HTTPConnection
    let session: NewSession
    private let id = DeviceID(UUID())
    private(set) var acknowledged = Acknowledgement.none
    private var token: SyncToken?
    private var random = SystemRandomNumberGenerator()

    private init(_ session: NewSession, over connection: HTTPConnection) {
        (self.session, self.connection) = (session, connection)
    }

    /// Another device of an account.
    convenience init(_ session: NewSession, port: Int) { self.init(session, over: HTTPConnection(port: port)) }

    /// The device of a new account, whose session is opened over the same connection: the server spreads connections over its
    /// threads in turn, so a second one for each device would put all devices on every other thread.
    convenience init(port: Int) throws {
        let connection = HTTPConnection(port: port)
        let fields = ["Content-Type: application/json"]
        let answer = try connection.ask(
            HTTPRequest.bytes("POST", "/v1/sessions", fields, body: Data("{}".utf8)))
        guard let session = try? JSONDecoder().decode(NewSession.self, from: Data(answer.body)) else {
            throw Unexpected(answer)
        }
        self.init(session, over: connection)
    }

    // MARK: Requests

    /// The body of the next round's request, as the SDK writes it.
    func body(_ mutations: [Mutation] = []) -> Data {
        SyncRequest(
            account: session.account, device: id, acknowledged: acknowledged,
            sent: acknowledged.number + Int64(mutations.count), mutations: mutations, token: token, kind: "anonymous"
        ).json
    }

    /// The next round's request.
    func request(_ mutations: [Mutation] = []) -> [UInt8] { request(body: body(mutations)) }

    /// The request of a round with this body. Like the SDK, it asks for a minimal answer.
    func request(body: Data) -> [UInt8] {
        HTTPRequest.bytes(
            "POST", "/v1/sync",
            [
                "Authorization: Bearer \(session.token)", "Content-Type: application/json", "Accept-Encoding: gzip",
                "Prefer: return=minimal",
            ], body: body)
    }

    /// New lists.
    func lists(_ count: Int) -> [Mutation] {
        (0..<count).map { index in
            let list = newID()
            return mutation(index, list.retyped(), .lists, list, ["name": "Groceries"])
        }
    }

    /// New items of a list.
    ///
    /// - Parameters:
    ///   - indices: The indices of the items, which differ in their titles.
    ///   - list: The list.
    ///   - waiting: The number of mutations that are sent before these.
    /// - Returns: A mutation for each item.
    func items(_ indices: Range<Int>, in list: FeedID, after waiting: Int = 0) -> [Mutation] {
        indices.enumerated().map { offset, index in
            mutation(waiting + offset, list, .items, newID(), SampleItem.fields(index))
        }
    }

    private func mutation(
        _ offset: Int, _ feed: FeedID, _ collection: RecordCollection, _ record: RecordID<Never>, _ fields: Fields
    ) -> Mutation {
        Mutation(
            id: newID().retyped(), number: acknowledged.number + Int64(offset + 1), feed: feed, collection: collection,
            record: record, seen: 0, change: .set(fields))
    }

    private func newID() -> RecordID<Never> { RecordID(.version7(time: Timestamp(Date()), using: &random)) }

    // MARK: Answers

    /// Takes over an answer, and returns it whole.
    @discardableResult
    func adopt(_ answer: HTTPAnswer) throws -> SyncAnswer {
        guard answer.status == 200 else { throw Unexpected(answer) }
        let read = try SyncAnswer(json: Self.expanded(answer))
        guard read.device == .recognised, read.outcomes.isEmpty else { throw Unexpected(answer) }
        (acknowledged, token) = (read.acknowledged, read.token)
        return read
    }

    /// Takes over an answer without reading its records, which is cheaper.
    ///
    /// - Returns: Whether there is more.
    @discardableResult
    func glance(at answer: HTTPAnswer) throws -> Bool {
        let isPacked = answer.body.starts(with: Self.packed)
        guard answer.status == 200,
            let glance = AnswerGlance(isPacked ? Array(try Self.expanded(answer)) : answer.body)
        else { throw Unexpected(answer) }
        (acknowledged, token) = (glance.acknowledged, glance.token)
        return glance.hasMore
    }

    /// The first bytes of a body in gzip.
    private static let packed: [UInt8] = [0x1F, 0x8B]

    /// The body of an answer, expanded if it is compressed.
    static func expanded(_ answer: HTTPAnswer) throws -> Data {
        guard answer.body.starts(with: packed) else { return Data(answer.body) }
        return try Gzip.expand(Data(answer.body), limit: 256 << 20)
    }

    // MARK: Rounds

    /// Performs a round.
    @discardableResult
    func sync(_ mutations: [Mutation] = []) throws -> SyncAnswer { try adopt(connection.ask(request(mutations))) }

    /// Reads everything that is new. Returns the number of live records in pages and of changes.
    @discardableResult
    func catchUp() throws -> Int {
        var count = 0
        while true {
            let answer = try sync()
            for feed in answer.feeds {
                count += feed.changes.count
                count += feed.page?.columns.reduce(0) { $0 + $1.count } ?? 0
            }
            if !answer.more { return count }
        }
    }

    /// Continues after the records that another device of the account has read.
    func follow(_ other: SyncDevice) { token = other.token }

    /// Makes a list, and returns its feed.
    func makeList() throws -> FeedID {
        let lists = lists(1)
        try sync(lists)
        return lists[0].feed
    }
}
