import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("A blocked person cannot tell", .timeLimit(.minutes(15)))
struct BlockedBytesTests {
    /// How someone goes from another's sight.
    enum Departure: CaseIterable {
        case closesStream, isInvisible, blocks
    }

    @Test("that it was a block: they receive exactly the bytes of someone going offline")
    func sameBytes() async throws {
        var received: [Departure: [String]] = [:]
        for departure in Departure.allCases { received[departure] = try await self.received(upon: departure) }
        #expect(received[.blocks]?.count == 9)
        #expect(received[.blocks] == received[.closesStream])
        #expect(received[.blocks] == received[.isInvisible])
    }

    /// What Grace receives when Ada goes, and afterwards. Ids and times are replaced by their names.
    private func received(upon departure: Departure) async throws -> [String] {
        let database = try SQLiteDatabase.inMemory()
        let server = KithServer(.patient, database: database, clock: Self.runningClock)
        return try await server.serving { url in
            let village = Village(server: TestServer(url: url), database: database)
            let picture = Data([0xFF, 0xD8, 0xFF] + repeatElement(7, count: 40))
            let hash = Hex.text(Secret.sha256(picture))
            var ada = try await village.person(["given": "Ada"])
            var grace = try await village.person()
            let sent = try await village.server.ask(
                "PUT", "/v1/pictures/\(hash)", token: ada.session.token, headers: ["Content-Type": "image/jpeg"],
                body: picture)
            #expect(sent.status == 204)
            try await village.set(["pictureSmall": .text(hash), "pictureLarge": .text(hash)], of: &ada)
            try await village.set(["wish": "connect"], of: grace.account, by: &ada)
            try await village.set(["wish": "accept"], of: ada.account, by: &grace)
            try await grace.sync(with: village.server)
            var hers: Wire? = try await village.server.live(ada.session, ada.id)
            let ears = try await village.server.live(grace.session, grace.id)

            switch departure {
            case .closesStream: hers = nil
            case .isInvisible:
                let request = PresenceRequest(state: .invisible)
                let path = "/v1/presence?device=\(ada.id)"
                #expect(
                    try await village.server.ask("PUT", path, token: ada.session.token, json: request).status == 204)
            case .blocks: try await village.set(["isBlocked": true], of: grace.account, by: &ada)
            }

            let event = String(decoding: try await ears.chunk(), as: UTF8.self)
            let path = "/v1/accounts/\(ada.account)"
            var replies: [Reply] = []
            for _ in 0..<2 {
                replies.append(try await village.get(path + "/presence", by: grace))
                replies.append(try await village.get(path, by: grace))
                replies.append(try await village.get(path + "/picture/large", by: grace))
            }
            let presence: Presence = try replies[0].decoded()
            let seen = try #require(presence.lastSeen)
            let before = grace.token
            let answer = try await grace.sync(with: village.server)
            #expect(answer.token == before && answer.records.isEmpty)
            // Whatever else she was told because of it would come before this.
            var tablet = TestDevice(grace.session)
            let list = try await tablet.makeList("A list of her own", with: village.server)
            let next = String(decoding: try await ears.chunk(), as: UTF8.self)
                .replacing(list.description, with: "her list")
            withExtendedLifetime(hers) {}
            let texts =
                [try Self.sorted(event), try Self.sorted(next)] + (try replies.map(Self.whole)) + ["\(answer.feeds)"]
            return texts.map {
                $0.replacing(ada.account.description, with: "ada").replacing(grace.account.description, with: "grace")
                    .replacing(String(seen.milliseconds), with: "when she went")
            }
        }
    }

    /// A reply: its status, its header fields but for the date, and its body.
    private static func whole(_ reply: Reply) throws -> String {
        let fields = reply.head.fields.filter { $0.key != "date" }.sorted { $0.key < $1.key }
        let body = try sorted(String(decoding: reply.body, as: UTF8.self))
        return "\(reply.status) \(fields.map { "\($0.key): \($0.value)" }) \(body)"
    }

    /// A text with the members of its JSON in one order: JSONEncoder writes them in a random one.
    private static func sorted(_ text: String) throws -> String {
        guard let start = text.firstIndex(of: "{") else { return text }
        let json = try JSONSerialization.jsonObject(with: Data(text[start...].utf8))
        let data = try JSONSerialization.data(withJSONObject: json, options: .sortedKeys)
        return text[..<start] + String(decoding: data, as: UTF8.self)
    }

    /// A clock that goes on by a millisecond with each look at it, so that no two looks are the same moment.
    private static var runningClock: ServerClock {
        let looks = Counter()
        return ServerClock(
            time: { HandClock.start + .milliseconds(looks.next()) }, uptime: { .zero })
    }

    private final class Counter: Sendable {
        private let count = Mutex<Int64>(0)
        func next() -> Int64 {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }
}
