import Foundation
import Kith
import KithModel

/// The server's operations around people, as far as tests of a client need them: an answer in the server's stead.
final class People: Sendable {
    struct State: Sendable {
        var shown: [AccountID: ShownProfile] = [:]
        /// By path.
        var pictures: [String: Data] = [:]
        var sent: [String: Data] = [:]
        /// What sending a picture is refused with: a status, and the code of a Kith server if it is one that answers.
        var refusal: (status: Int, code: Problem.Code?)?
        var directory = DirectoryAnswer(people: [])
        /// Whether nothing but rounds and sessions is answered.
        var isAway = false
        /// Whether the account was deleted before.
        var isClosed = false
        /// Runs before a profile is told.
        var meanwhile: @Sendable () throws -> Void = {}
    }

    private let kept = Kept(State())

    var state: State { kept.value }
    func change(_ body: (inout State) -> Void) { kept.change(body) }

    func answer(_ request: TransportRequest) throws -> TransportResponse? {
        let state = state
        let path = request.path
        guard ["/v1/accounts/", "/v1/pictures/", "/v1/directory", "/v1/account"].contains(where: path.hasPrefix) else {
            return nil
        }
        if state.isAway { throw KithError(.offline, "The server cannot be reached.") }
        if path.hasPrefix("/v1/directory") { return try ok(state.directory) }
        if path == "/v1/account" {
            if !state.isClosed { return TransportResponse(status: 204, body: Data()) }
            return TransportResponse(
                status: 401, body: FakeServer.problem(401, .accountClosed, "The account was deleted."))
        }
        if request.method == "PUT" {
            if let (status, code) = state.refusal {
                let body = code.map { FakeServer.problem(status, $0, "Not this picture.") } ?? Data("<html>".utf8)
                return TransportResponse(status: status, body: body)
            }
            let hash = String(path.dropFirst("/v1/pictures/".count))
            kept.change { $0.sent[hash] = request.body }
            return TransportResponse(status: 204, body: Data())
        }
        if path.contains("/picture/") {
            return state.pictures[path].map { TransportResponse(status: 200, body: $0) } ?? Self.missing
        }
        try state.meanwhile()
        let id = AccountID(String(path.dropFirst("/v1/accounts/".count)))
        return try id.flatMap { state.shown[$0] }.map(ok) ?? Self.missing
    }

    private static let missing = TransportResponse(
        status: 404, body: FakeServer.problem(404, .notFound, "There is no such thing."))

    private func ok(_ answer: some Encodable) throws -> TransportResponse {
        TransportResponse(status: 200, body: try JSONEncoder().encode(answer))
    }
}

/// A signed-in device and the people around it.
struct Circle {
    let phone: Phone
    let me: AccountID
    let people = People()

    init(_ server: FakeServer = FakeServer(), pictureBytes: Int = Network.pictureBytes) async throws {
        phone = try Phone(server, pictureBytes: pictureBytes)
        try await phone.client.syncNow()
        me = try present(await phone.client.session.account())
        server.wire.instead = people.answer
    }

    var network: Network { phone.client.network }
    var now: Timestamp { phone.clock.now }

    /// Someone of this number.
    static func person(_ number: UInt64) -> AccountID { AccountID(UUID(high: 0x0190_0000_0000_7000, low: number)) }

    /// What the server knows of a contact, from now on; null takes a field away.
    func tell(_ id: AccountID, _ fields: Fields) {
        let (me, now) = (me, now)
        phone.server.change { $0.write(.contacts, id.retyped(), fields, in: me.retyped(), at: now) }
    }

    /// Someone I am connected with, here already.
    @discardableResult
    func friend(_ number: UInt64, _ given: String, _ more: Fields = [:]) async throws -> AccountID {
        let id = Self.person(number)
        let fields: Fields = [
            "wish": "connect", "asked": .integer(now.milliseconds), "given": .text(given),
        ]
        tell(id, fields.merging(more) { _, more in more })
        try await phone.client.syncNow()
        return id
    }

    func shows(_ id: AccountID, _ fields: Fields, tag: String?) {
        people.change {
            $0.shown[id] = ShownProfile(account: id, fields: fields, isBot: false, detailsTag: tag)
        }
    }
}

/// What is there; a test without it says nothing.
func present(_ account: AccountID?) throws -> AccountID {
    guard let account else { throw KithError(.notFound, "There is no account.") }
    return account
}

/// A picture of so many bytes that begins as a PNG does, and differs by its number.
func png(_ number: UInt8, bytes: Int = 64) -> Data {
    var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, number])
    data.append(Data(repeating: number, count: bytes - data.count))
    return data
}

func hash(_ data: Data) -> FieldValue { .text(SHA256(Array(data)[...]).hex) }
