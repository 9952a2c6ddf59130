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
            #expect(try await ears.nextPeople() == isThere)

            try await village.set(["presenceVisibility": "nobody"], of: &ada)
            #expect(try await ears.nextPeople() == [.init(account: ada.account, presence: nil)])
            #expect(try await village.presence(of: ada, to: grace).state == .offline)

            // She is busy, goes, is back and away, loses her connection, and comes again.
            for state in [Presence.State.busy, .invisible, .away] {
                #expect(try await village.show(state, by: ada).status == 204)
            }
            hers = nil
            while try await village.server.metric("kith_live_streams") > 1 { await Task.yield() }
            hers = try await village.server.live(ada.session, ada.id)
            #expect(try await village.presence(of: ada, to: grace).state == .offline)
            let (tablet, whole) = try await village.server.meet(grace.session, DeviceID(UUID()))
            #expect(whole.people.isEmpty, "Nor is she told of to a device that has just come.")

            // Had anything of that been told, it would come before this.
            let his = try await village.server.live(other.session, other.id)
            let comes = [PresenceEvent.Person(account: other.account, presence: Presence(.online))]
            #expect(try await ears.nextPeople() == comes)
            #expect(try await tablet.nextPeople() == comes)

            try await village.set(["presenceVisibility": "network"], of: &ada)
            #expect(try await ears.nextPeople() == isThere)
            #expect(try await village.presence(of: ada, to: grace) == Presence(.online))
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
            #expect(try await hers.nextPeople() == [.init(account: grace.account, presence: Presence(.online))])
            #expect(try await village.show(.busy, by: grace).status == 204)
            #expect(try await hers.nextPeople() == [.init(account: grace.account, presence: Presence(.busy))])
            #expect(try await village.presence(of: grace, to: ada) == Presence(.busy))
            withExtendedLifetime(ears) {}
        }
    }
}
