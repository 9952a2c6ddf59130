import Foundation
import KithModel
import KithServer
import Testing

@Suite("A person who hides their presence", .timeLimit(.minutes(15)))
struct HiddenPresenceTests {
    @Test("becomes unknown to their network at once, until they show it again")
    func unheard() async throws {
        try await Village.run { village in
            var ada = try await village.person()
            let (grace, other) = (try await village.person(), try await village.person())
            try await village.connect(ada, grace)
            try await village.connect(other, grace)
            let isThere = [PresenceEvent.Person(account: ada.account, presence: Presence(.online))]
            let (ears, _) = try await village.server.meet(grace.session, grace.id)
            var hers: Wire? = try await village.server.live(ada.session, ada.id)
            #expect(try await next(ears) == isThere)

            try await village.set(["presenceVisibility": "nobody"], of: &ada)
            #expect(try await next(ears) == [.init(account: ada.account, presence: nil)])
            #expect(try await asked(ada, by: grace, village).state == .offline)

            // She is busy, goes, is back and away, loses her connection, and comes again.
            for state in [Presence.State.busy, .invisible, .away] {
                #expect(try await show(state, by: ada, village).status == 204)
            }
            hers = nil
            while try await village.server.metric("kith_live_streams") > 1 { await Task.yield() }
            hers = try await village.server.live(ada.session, ada.id)
            #expect(try await asked(ada, by: grace, village).state == .offline)
            let (tablet, whole) = try await village.server.meet(grace.session, DeviceID(UUID()))
            #expect(whole.people.isEmpty, "Nor is she told of to a device that has just come.")

            // Had anything of that been told, it would come before this.
            let his = try await village.server.live(other.session, other.id)
            let comes = [PresenceEvent.Person(account: other.account, presence: Presence(.online))]
            #expect(try await next(ears) == comes)
            #expect(try await next(tablet) == comes)

            try await village.set(["presenceVisibility": "network"], of: &ada)
            #expect(try await next(ears) == isThere)
            #expect(try await asked(ada, by: grace, village) == Presence(.online))
            withExtendedLifetime((hers, his)) {}
        }
    }

    @Test("still sees everyone else")
    func hears() async throws {
        try await Village.run { village in
            var ada = try await village.person()
            let grace = try await village.person()
            try await village.connect(ada, grace)
            try await village.set(["presenceVisibility": "nobody"], of: &ada)
            let (hers, _) = try await village.server.meet(ada.session, ada.id)
            let (ears, whole) = try await village.server.meet(grace.session, grace.id)
            #expect(whole.people.isEmpty)
            #expect(try await next(hers) == [.init(account: grace.account, presence: Presence(.online))])
            #expect(try await show(.busy, by: grace, village).status == 204)
            #expect(try await next(hers) == [.init(account: grace.account, presence: Presence(.busy))])
            #expect(try await asked(grace, by: ada, village) == Presence(.busy))
            withExtendedLifetime(ears) {}
        }
    }

    // MARK: Asking and hearing

    private func show(_ state: Presence.State, by device: TestDevice, _ village: Village) async throws -> Reply {
        try await village.server.ask(
            "PUT", "/v1/presence?device=\(device.id)", token: device.session.token, json: PresenceRequest(state: state))
    }

    private func asked(_ device: TestDevice, by viewer: TestDevice, _ village: Village) async throws -> Presence {
        try await village.get("/v1/accounts/\(device.account)/presence", by: viewer).decoded()
    }

    /// The people in the next event about people; other events are skipped.
    private func next(_ wire: Wire) async throws -> [PresenceEvent.Person] {
        let head = "event: presence\ndata: "
        while true {
            let text = String(decoding: try await wire.chunk(), as: UTF8.self)
            try #require(!text.isEmpty)
            guard text.hasPrefix(head) else { continue }
            let event = try JSONDecoder().decode(PresenceEvent.self, from: Data(text.dropFirst(head.count).utf8))
            try #require(!event.isWhole)
            return event.people
        }
    }
}
