import Foundation
import KithModel

/// An account with a session and one device.
final class Account {
    let client: LoopbackClient
    let session: NewSession
    private let device: DeviceID
    private var acknowledged = Acknowledgement.none
    private var token: SyncToken?
    private var list = FeedID(UUID())
    private var random = SystemRandomNumberGenerator()

    init(_ client: LoopbackClient) throws {
        self.client = client
        device = DeviceID(UUID())
        session = try JSONDecoder().decode(NewSession.self, from: try client.ask("POST", "/v1/sessions").body)
    }

    func makeList() throws {
        _ = try sync([mutation(1, .lists, list.retyped(), ["name": "Groceries"])])
    }

    /// Creates `count` items, each with a comment of `comment` bytes.
    @discardableResult
    func add(_ count: Int, comment: Int = 0) throws -> Int {
        let text = String(repeating: "x", count: comment)
        return try sync(
            (0..<count).map { index in
                var fields: Fields = ["title": "Oat milk", "position": "a0"]
                if comment > 0 { fields["comment"] = .text(text) }
                return mutation(
                    Int64(index + 1), .items, RecordID(.version7(time: Timestamp(.now), using: &random)), fields)
            })
    }

    /// Creates an invitation to the list.
    func link() throws -> String {
        let body = try JSONEncoder().encode(LinkRequest(role: .viewer))
        let path = "/v1/lists/\(list)/links"
        let answer = try client.ask("POST", path, token: session.token, body: body)
        return try JSONDecoder().decode(ListLink.self, from: answer.body).token ?? ""
    }

    func join(_ link: String) throws {
        _ = try client.ask("POST", "/v1/links/\(link)/accept", token: session.token, body: Data("{}".utf8))
    }

    /// Performs a round, keeps its token, and returns the status.
    func sync(_ mutations: [Mutation] = []) throws -> Int {
        let answer = try client.ask("POST", "/v1/sync", token: session.token, body: try request(mutations))
        guard answer.status == 200 else { return answer.status }
        let synced = try JSONDecoder().decode(SyncAnswer.self, from: answer.body)
        (acknowledged, token) = (synced.acknowledged, synced.token)
        return 200
    }

    /// Reads everything from the beginning, and ignores the content.
    func readAll() throws -> Int {
        token = nil
        return try client.ask("POST", "/v1/sync", token: session.token, body: try request([])).status
    }

    private func request(_ mutations: [Mutation]) throws -> Data {
        try JSONEncoder().encode(
            SyncRequest(
                account: session.account, device: device, acknowledged: acknowledged,
                sent: acknowledged.number + Int64(mutations.count), mutations: mutations, token: token))
    }

    private func mutation(
        _ offset: Int64, _ collection: RecordCollection, _ record: RecordID<Never>, _ fields: Fields
    ) -> Mutation {
        Mutation(
            id: MutationID(UUID()), number: acknowledged.number + offset, feed: list, collection: collection,
            record: record, seen: 0, change: .set(fields))
    }
}
