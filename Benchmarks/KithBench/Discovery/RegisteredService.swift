import Foundation
import Kith
import KithModel
import KithServer
import OPRF
import Synchronization

/// A server with many registered identities. Most are random: an identity that no device looks up needs no evaluation.
///
/// It is called directly, without a network, and counts the processor time that it takes.
final class RegisteredService: Transport {
    private struct State {
        var time = Duration.zero
        var bytes = 0
        var requests = 0
    }

    private let database: SQLiteDatabase
    private let keys = DiscoveryKeys()
    private let service: DiscoveryService
    private let key: String
    private let account: AccountID
    private let state = Mutex(State())
    private let random = Mutex(SplitMix64(seed: 1))

    init(_ count: Int, folder: URL) async throws {
        database = try SQLiteDatabase(path: folder.appending(path: "registered.sqlite").path())
        service = DiscoveryService(database: database, keys: keys, evaluationsADay: 1_000_000)
        account = try await SessionService(database: database, signals: .none).open(at: Timestamp(.now)).account
        try await DiscoveryUpkeep(database: database, keys: keys).run(at: Timestamp(.now))
        key = try await service.describe(for: account, at: Timestamp(.now)).keys[0].id
        for _ in stride(from: 0, to: count, by: 20_000) { try await join(min(20_000, count)) }
    }

    /// Registers an identity that a device will look up.
    func register(_ identity: Identity) async throws {
        let register = IdentityRegister(keys: keys, at: Timestamp(.now))
        let account = try await SessionService(database: database, signals: .none).open(at: Timestamp(.now)).account
        _ = try await database.write { try register.add(identity, to: account, in: $0) }
    }

    /// Adds `count` random entries, which match no number.
    func join(_ count: Int) async throws {
        let rows = random.withLock { random in
            (0..<count).map { _ in (random.next(), random.next(), UUID.version7(time: Timestamp(.now), using: &random))
            }
        }
        try await database.write { [key] transaction in
            let last =
                try transaction.query(
                    "UPDATE discovery_key SET sequence = sequence + ? WHERE id = ? RETURNING sequence",
                    [.integer(Int64(count)), .text(key)]
                ).first?.integer(0) ?? 0
            try transaction.insert(
                into: "evaluation", ["discovery_key", "prefix", "tag", "masked", "sequence", "changed", "gone"],
                rows.enumerated().map { index, row in
                    [
                        .text(key), .integer(Int64(bitPattern: row.0)), .integer(Int64(bitPattern: row.1)),
                        .bytes(withUnsafeBytes(of: row.2.uuid) { Data($0) }),
                        .integer(last - Int64(count) + Int64(index) + 1), .time(Timestamp(.now)), .flag(false),
                    ]
                })
        }
    }

    /// Reads the table of buckets, as a server does when it starts.
    func prepare() async throws { try await service.prepare(at: Timestamp(.now)) }

    // MARK: Answering

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let start = clock()
        let body: Data
        let path = request.path.split(separator: "?").first.map(String.init) ?? request.path
        switch path {
        case "/v1/sessions":
            body = try JSONEncoder().encode(
                try await SessionService(database: database, signals: .none).open(at: Timestamp(.now)))
        case "/v1/discovery":
            body = try JSONEncoder().encode(try await service.describe(for: account, at: Timestamp(.now)))
        case "/v1/discovery/evaluations":
            let asked = try JSONDecoder().decode(EvaluationRequest.self, from: request.body ?? Data())
            body = try JSONEncoder().encode(try await service.evaluate(asked, by: account, at: Timestamp(.now)))
        case "/v1/discovery/buckets":
            let asked = try JSONDecoder().decode(BucketRequest.self, from: request.body ?? Data())
            body = try await service.look(asked, at: Timestamp(.now)).data
        case "/v1/discovery/filter": body = try await service.filter(of: key, at: Timestamp(.now))
        // Like a proxy that forwards only `/v1`.
        default: return TransportResponse(status: 404, body: Data())
        }
        let time = Duration.microseconds(Int64(clock() - start))
        state.withLock { state in
            state.time += time
            state.bytes += body.count + (request.body?.count ?? 0)
            state.requests += 1
        }
        return TransportResponse(status: 200, body: body)
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }

    /// The processor time, bytes and requests since the last call.
    func spent() -> (time: Duration, bytes: Int, requests: Int) {
        state.withLock { state in
            defer { state = State() }
            return (state.time, state.bytes, state.requests)
        }
    }

    // MARK: The server alone

    /// The processor time to evaluate `count` elements.
    func evaluationTime(_ count: Int) throws -> Duration {
        let secret = try keys.all()[0].secret
        let elements = try RistrettoPRF().blind((0..<count).map { Array("tel:+43\($0)".utf8) }).map(\.element)
        return processorTime { for element in elements { _ = secret.evaluate(element) } }
    }

    /// The processor time to read the table of buckets when a server starts.
    func startTime() async throws -> Duration {
        let fresh = DiscoveryService(database: database, keys: keys)
        let start = clock()
        try await fresh.prepare(at: Timestamp(.now))
        return Duration.microseconds(Int64(clock() - start))
    }
}
