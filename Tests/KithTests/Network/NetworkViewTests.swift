import Kith
import KithModel
import Testing

@Suite("The views of the network") struct NetworkViewTests {
    private let me = Circle.person(1)

    private func views(_ fields: Fields, id: AccountID = Circle.person(2)) -> Set<NetworkView> {
        let contact = NetworkContact(id: id, fields, modified: Timestamp(milliseconds: 0))
        return Set(NetworkView.allCases.filter { $0.shows(contact, to: me) })
    }

    @Test("My network shows only those I am connected with: not me, no bot, nobody blocked") func predicate() {
        let connected: Fields = ["wish": "accept", "asked": 5]
        #expect(views(connected) == [.network, .everyone])
        #expect(views(connected, id: me) == [.everyone])
        #expect(views(connected.merging(["isBot": true]) { $1 }) == [.bots, .everyone])
        #expect(views(connected.merging(["isBlocked": true]) { $1 }) == [.blocked, .everyone])
        #expect(views(connected.merging(["mutedFrom": 3]) { $1 }) == [.network, .muted, .everyone])
    }

    @Test("Received, sent and declined requests have their own views") func requests() {
        #expect(views(["asked": 5]) == [.requests, .everyone])
        #expect(views(["wish": "connect"]) == [.sent, .everyone])
        #expect(views(["wish": "decline", "asked": 5]) == [.everyone])
        #expect(views(["asked": 5, "isBlocked": true]) == [.blocked, .everyone])
    }

    @Test("A person who was removed stays as an empty record, which nobody is shown") func removed() {
        #expect(views(["wish": "none", "given": "Ada"]) == [])
    }

    @Test("Trap: One flag serves for pending and for blocked") func flagsAreApart() {
        let both = NetworkContact(
            id: Circle.person(2), ["wish": "connect", "isBlocked": true, "mutedFrom": 1],
            modified: Timestamp(milliseconds: 0))
        #expect(both.relation == .sent)
        #expect(both.isBlocked)
        #expect(both.isMuted(at: Timestamp(milliseconds: 2)))
    }
}
