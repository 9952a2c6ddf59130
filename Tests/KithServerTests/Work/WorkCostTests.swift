import Foundation
import KithModel
import KithServer
import OPRF
import Testing

@Suite("Work done for a client", .timeLimit(.minutes(15)))
struct WorkCostTests {
    /// What a client can have the server do, other than rounds.
    enum Kind: CaseIterable {
        case evaluation, filter, buckets, search, sentPicture, shownPicture, publicList
    }

    @Test(
        "is charged exactly to its session and its address, until it is paid off",
        arguments: Kind.allCases)
    func owed(kind: Kind) async throws {
        try await Village.run({
            // Each unit is owed for a second. The one of the request itself is free for its address.
            $0.limits.sessionWork = Rate(perSecond: 1, burst: 0)
            $0.limits.addressWork = Rate(perSecond: 1, burst: 1)
            $0.trustedProxies = [AddressRange("127.0.0.0/8")].compactMap(\.self)
        }) { village in
            let server = village.server
            var greedy = try await village.person()
            let neighbour = try await village.person()
            let errand = try await prepare(kind, by: &greedy, in: village)
            server.clock.advance(Self.rest)
            let reply = try await errand.run(on: server)
            #expect((200..<300).contains(reply.status))
            let cost = errand.cost(reply)
            #expect(cost > 0)

            func session(of device: TestDevice, from address: String? = nil) async throws -> Reply {
                let headers = address.map { ["X-Forwarded-For": $0] } ?? [:]
                return try await village.get("/v1/session", by: device, headers: headers)
            }
            // The address owes it, whoever asks from there.
            let atHome = try await session(of: neighbour)
            try problem(in: atHome, 429, .tooFast)
            #expect(atHome.head["retry-after"] == "\(cost)")
            // The session owes it, wherever it goes. Without a session there is only the address.
            let elsewhere = try await session(of: greedy, from: "192.0.2.1")
            if errand.token == nil {
                #expect(elsewhere.status == 200)
            } else {
                try problem(in: elsewhere, 429, .tooFast)
                #expect(elsewhere.head["retry-after"] == "\(cost)")
            }
            #expect(try await session(of: neighbour, from: "192.0.2.2").status == 200)

            server.clock.advance(.seconds(cost))
            #expect(try await session(of: greedy).status == 200)
        }
    }

    @Test("waits for its turn, and small requests overtake it")
    func inTurn() async throws {
        let database = try SQLiteDatabase.inMemory()
        let held = HeldDatabase(database)
        try await TestServer.run(
            {
                $0.limits.heavyAtOnce = 1
            }, database: held
        ) { server in
            let village = Village(server: server, database: database)
            var greedy = try await village.person()
            let first = try await prepare(.publicList, by: &greedy, in: village)
            var errands: [Errand] = []
            for kind in Kind.allCases { errands.append(try await prepare(kind, by: &greedy, in: village)) }
            let all = Double(errands.count)

            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { try await first.run(on: server).status }
                for await _ in held.begun {}
                for errand in errands { group.addTask { try await errand.run(on: server).status } }
                try await server.wait(for: "kith_heavy_waiting", all)
                #expect(try await village.get("/v1/session", by: greedy).status == 200)
                #expect(try await server.metric("kith_heavy_waiting") == all)
                held.letGo()
                for try await status in group { #expect((200..<300).contains(status)) }
            }
        }
    }

    // MARK: Errands

    /// So long a time that nothing is owed any more.
    private static let rest = Duration.seconds(300)
    /// Begins as a PNG does; the server decodes nothing.
    private static let picture =
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(repeating: 7, count: 60_000)

    /// A request, and what the protocol says that it costs.
    private struct Errand: Sendable {
        var method = "GET"
        var path: String
        var type: String?
        var body: Data?
        var token: String?
        /// How many units it costs, if this is what came back.
        var cost: @Sendable (Reply) -> Int

        func run(on server: TestServer) async throws -> Reply {
            let headers = type.map { ["Content-Type": $0] } ?? [:]
            return try await server.ask(method, path, token: token, headers: headers, body: body)
        }
    }

    /// Makes whatever a request of this kind needs. Time passes, so that nothing of it is owed.
    private func prepare(_ kind: Kind, by device: inout TestDevice, in village: Village) async throws -> Errand {
        let (server, token) = (village.server, device.session.token)
        let hash = Hex.text(Secret.sha256(Self.picture))
        let upload = Errand(
            method: "PUT", path: "/v1/pictures/\(hash)", type: "image/png", body: Self.picture, token: token,
            cost: { _ in Self.picture.count / 4_096 })
        server.clock.advance(Self.rest)
        switch kind {
        case .evaluation:
            let elements = try RistrettoPRF().blind((0..<100).map { Array("tel:+43\($0)".utf8) })
            let request = EvaluationRequest(
                key: try await key(for: device, in: village).id, elements: elements.map { Data($0.element).base64URL })
            return Errand(
                method: "POST", path: "/v1/discovery/evaluations", type: "application/json",
                body: try JSONEncoder().encode(request), token: token, cost: { _ in 2 * 100 })
        case .filter:
            let key = try await key(for: device, in: village)
            try await village.database.crowd(5_000, under: key.id, at: key.since)
            return Errand(
                path: "/v1/discovery/filter?key=\(key.id)", token: token, cost: { $0.body.count / 4_096 })
        case .buckets:
            let key = try await key(for: device, in: village)
            let request = BucketRequest(key: key.id, bits: key.bits, prefixes: [0])
            return Errand(
                method: "POST", path: "/v1/discovery/buckets", type: "application/json",
                body: try JSONEncoder().encode(request), token: token, cost: { $0.body.count / 4_096 })
        case .search:
            return Errand(path: "/v1/directory?name=ada", token: token, cost: { _ in 100 })
        case .sentPicture:
            return upload
        case .shownPicture:
            try #require(try await upload.run(on: server).status == 204)
            server.clock.advance(Self.rest)
            try await village.set(["pictureSmall": .text(hash), "pictureLarge": .text(hash)], of: &device)
            return Errand(
                path: "/v1/accounts/\(device.account)/picture/large", token: token,
                cost: { $0.body.count / 4_096 })
        case .publicList:
            let path = try await server.publicList(of: 50, by: &device)
            return Errand(path: path, cost: { $0.body.count / 4_096 })
        }
    }

    private func key(for device: TestDevice, in village: Village) async throws -> DiscoveryDescription.Key {
        let description: DiscoveryDescription = try await village.get("/v1/discovery", by: device).decoded()
        return try #require(description.keys.first)
    }
}

extension TestServer {
    /// The path of a public link to a new list of so many items, each of some two kilobytes.
    ///
    /// They are sent a few at a time, and minutes pass in between, so that nobody owes much work.
    func publicList(of count: Int, by device: inout TestDevice) async throws -> String {
        clock.advance(.minutes(5))
        let list = try await device.makeList("Large", with: self)
        let comment = FieldValue.text(String(repeating: "unread, ", count: 250))
        for start in stride(from: 0, to: count, by: 50) {
            clock.advance(.minutes(5))
            let sender = device
            let items = (1...min(50, count - start)).map { offset in
                sender.mutation(
                    Int64(offset), .items, UUID(), in: list,
                    set: ["title": "Item", "position": "a0", "comment": comment])
            }
            try #require(try await device.sync(items, with: self).outcomes.isEmpty)
        }
        clock.advance(.minutes(5))
        let reply = try await ask(
            "POST", "/v1/lists/\(list)/links", token: device.session.token,
            json: LinkRequest(role: .viewer, isPublic: true))
        let link: ListLink = try reply.decoded()
        return try #require(link.url.flatMap { URL(string: $0) }).path()
    }
}

/// A database in which whoever reads a public list waits until it may.
private final class HeldDatabase: DatabaseDouble {
    let database: any Database
    private let held: AsyncStream<Void>
    private let release: AsyncStream<Void>.Continuation
    /// Ends when the first has begun to wait.
    let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation

    init(_ database: any Database) {
        self.database = database
        (held, release) = AsyncStream.makeStream(of: Void.self)
        (begun, begin) = AsyncStream.makeStream(of: Void.self)
    }

    /// Lets the one that waits go on, and all that come later.
    func letGo() { release.finish() }

    func performRead(_ work: any TransactionWork) async throws {
        if work.gives(PublicList.self) {
            begin.finish()
            for await _ in held {}
        }
        try await database.perform(work, as: .read)
    }
}
