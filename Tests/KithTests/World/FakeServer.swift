import Foundation
import Kith
import KithModel
import Synchronization

/// A small honest server in memory: it takes mutations by the law of merging and answers as the protocol says.
///
/// A test can stand between it and the device: to lose, hold or change what goes over the wire.
final class FakeServer: Transport {
    /// What a test does to the wire.
    struct Wire: Sendable {
        /// Answers in the server's stead; nil lets the request through.
        var instead: @Sendable (TransportRequest) throws -> TransportResponse? = { _ in nil }
        /// Runs before a request arrives, and can hold it.
        var before: @Sendable (TransportRequest) async throws -> Void = { _ in }
        /// Runs when the server has taken a round's mutations and before it answers.
        var meanwhile: @Sendable (SyncRequest) async throws -> Void = { _ in }
        /// Runs when the server has opened a session and before it answers.
        var meanwhileOpening: @Sendable () async throws -> Void = {}
        /// Whether no live stream can be opened.
        var refusesStreams = false
        /// Whether the server has an older version, which sends all members of each answer.
        var ignoresPreferences = false
        /// Changes an answer on its way.
        var change: @Sendable (SyncRequest, inout SyncAnswer) -> Void = { _, _ in }
    }

    private struct State {
        var world = World()
        var wire = Wire()
        var requests: [TransportRequest] = []
        var rounds: [SyncRequest] = []
        var streams: [String: AsyncThrowingStream<ServerEvent, any Error>.Continuation] = [:]
    }

    private let state: Mutex<State>
    let clock: Clock

    init(clock: Clock = Clock(), page: Int = 1_000) {
        self.clock = clock
        self.state = Mutex(State(world: World(page: page)))
    }

    // MARK: What a test sees and does

    /// Every request, in the order of their coming. That it was asked which server it is does not count.
    var requests: [TransportRequest] { state.withLock(\.requests).filter { $0.path != "/ready" } }
    /// How often it was asked which server it is.
    var identifications: Int { state.withLock { $0.requests.count { $0.path == "/ready" } } }
    /// Every round that was asked for.
    var rounds: [SyncRequest] { state.withLock(\.rounds) }
    var wire: Wire {
        get { state.withLock(\.wire) }
        set { state.withLock { $0.wire = newValue } }
    }

    func change<T>(_ body: (inout World) throws -> T) rethrows -> T { try state.withLock { try body(&$0.world) } }

    /// What the server has in the feed of an account.
    func records(of account: AccountID, _ collection: RecordCollection) -> [RecordID<Never>: Fields] {
        change { world in
            Dictionary(
                uniqueKeysWithValues: (world.feeds[account.retyped()]?.live ?? [])
                    .filter { $0.entry.collection == collection }.map { ($0.id, $0.entry.state.fields) })
        }
    }

    /// The live stream that a device holds open.
    func stream(of device: DeviceID) -> AsyncThrowingStream<ServerEvent, any Error>.Continuation? {
        state.withLock { $0.streams["/v1/live?device=\(device)"] }
    }

    /// The live stream of a client's current account, once it is open.
    func stream(of client: KithClient) async throws -> AsyncThrowingStream<ServerEvent, any Error>.Continuation {
        let device = try client.replica.readNow { $0.account.device }
        while true {
            if let open = stream(of: device) { return open }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// No answer comes until the wire is changed again.
    func goAway() {
        wire.instead = { _ in throw KithError(.offline, "The server cannot be reached.") }
    }

    /// Every request, but for which server it is, is refused with this status until the wire is changed again.
    func refuse(
        _ status: Int, _ code: Problem.Code? = nil, retryAfter: Int? = nil,
        where isMeant: @escaping @Sendable (String) -> Bool = { $0 != "/ready" }
    ) {
        let body = code.map { Self.problem(status, $0, "The server refuses this.") } ?? Data("{}".utf8)
        wire.instead = {
            isMeant($0.path) ? TransportResponse(status: status, retryAfter: retryAfter, body: body) : nil
        }
    }

    func mend() { wire = Wire() }

    /// Another server than all those that are made without more.
    static func other() -> FakeServer {
        let server = FakeServer()
        server.change { $0 = World(server: ServerID("01900000-0000-7000-8000-00000000000b"), seed: 8) }
        return server
    }

    /// A server that nobody reaches.
    static var gone: FakeServer {
        let server = FakeServer()
        server.goAway()
        return server
    }

    /// One round in full, as the server does it.
    func answer(_ request: SyncRequest) -> SyncAnswer {
        let now = clock.now
        return state.withLock { state in
            state.rounds.append(request)
            return state.world.round(request, at: now)
        }
    }

    // MARK: Transport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let wire = state.withLock { state in
            state.requests.append(request)
            return state.wire
        }
        try await wire.before(request)
        if let response = try wire.instead(request) { return response }
        switch (request.method, request.path) {
        case ("GET", "/ready"):
            return try ok(change { ["status": "ready", "server": $0.server?.description].compactMapValues(\.self) })
        case ("POST", "/v1/sessions"):
            let session = change { $0.openSession(at: clock.now) }
            try await wire.meanwhileOpening()
            return try ok(session)
        case ("GET", "/v1/session"):
            guard let account = account(of: request) else { return Self.unauthorized }
            return try ok(
                change {
                    SessionDescription(
                        account: account, kind: $0.kind(of: account), created: clock.now, server: $0.server)
                })
        case ("DELETE", "/v1/session"):
            change { world in if let token = request.token { world.tokens[token] = nil } }
            return TransportResponse(status: 204, body: Data())
        case ("POST", "/v1/codes"):
            guard account(of: request) != nil, let body = request.body else { return Self.unauthorized }
            let code = try JSONDecoder().decode(CodeRequest.self, from: body)
            if let identity = code.identity { change { $0.codes[code.id] = (identity, request.token ?? "") } }
            return try ok(
                SentCode(id: code.id, digits: 6, expires: clock.now + .minutes(10), again: clock.now + .minutes(1)))
        case ("POST", let path) where path.hasPrefix("/v1/codes/"):
            guard account(of: request) != nil, let body = request.body else { return Self.unauthorized }
            let check = try JSONDecoder().decode(CodeCheck.self, from: body)
            let proved = CodeID(String(path.split(separator: "/")[2])).flatMap { id in
                change { $0.check(check.code, of: id, by: request.token ?? "") }
            }
            guard let proved else {
                return TransportResponse(status: 422, body: Self.problem(422, .codeWrong, "The code is wrong."))
            }
            return try ok(proved)
        case ("POST", "/v1/sync"):
            guard let account = account(of: request), let body = request.body else { return Self.unauthorized }
            let round = try JSONDecoder().decode(SyncRequest.self, from: body)
            guard round.account == account else {
                return TransportResponse(status: 403, body: Self.problem(403, .accountMismatch, "It is another one."))
            }
            var answer = answer(round)
            try await wire.meanwhile(round)
            wire.change(round, &answer)
            let isMinimal = request.headers["Prefer"] == "return=minimal" && !wire.ignoresPreferences
            return TransportResponse(status: 200, body: answer.json(isMinimal: isMinimal))
        default:
            return TransportResponse(status: 404, body: Self.problem(404, .notFound, "There is no such thing."))
        }
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        let (events, continuation) = AsyncThrowingStream<ServerEvent, any Error>.makeStream()
        guard account(of: request) != nil else {
            continuation.finish(throwing: KithError(.unauthorized, "The token is unknown."))
            return events
        }
        guard !wire.refusesStreams else {
            continuation.finish(throwing: KithError(.busy, "There are too many streams.", retryAfter: .seconds(1)))
            return events
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[request.path] = nil } }
        continuation.yield(ServerEvent(name: "hello", data: "{}"))
        // Last, because a test may end it as soon as it is there.
        state.withLock {
            $0.requests.append(request)
            $0.streams[request.path] = continuation
        }
        return events
    }

    private func account(of request: TransportRequest) -> AccountID? {
        change { world in request.token.flatMap { world.tokens[$0] } }
    }

    private func ok(_ answer: some Encodable) throws -> TransportResponse {
        TransportResponse(status: 200, body: try JSONEncoder().encode(answer))
    }

    private static let unauthorized = TransportResponse(
        status: 401, body: problem(401, .tokenInvalid, "The token is unknown."))

    static func problem(_ status: Int, _ code: Problem.Code, _ detail: String) -> Data {
        let problem = Problem(status: status, title: "Problem", code: code, detail: detail, id: "1")
        // A value of texts and numbers can always be encoded.
        return (try? JSONEncoder().encode(problem)) ?? Data()
    }
}
