import KithModel
import Testing

@Suite("Profiles, and who sees them") struct VisibilityTests {
    @Test("Owners write their whole profiles, and in contacts only their wishes")
    func writers() {
        let owner = Rights(role: .owner)
        #expect(Profile.schema.fields.allSatisfy { owner.include($0.writer) })
        #expect(
            NetworkContact.schema.fields.filter { owner.include($0.writer) }.map(\.name) == [
                "wish", "isBlocked", "mutedFrom", "mutedUntil",
            ])
    }

    @Test("A profile is the same after conversion to fields and back")
    func roundTrip() {
        var profile = Profile()
        profile.given = "Ada"
        profile.phones = [Profile.Entry("+41 44 668 18 00", label: "studio", type: "mobile"), Profile.Entry("1")]
        profile.addresses = [Profile.Address("Somewhere 1\nHere", label: "home")]
        profile.visibility = [.given: .network, .phones: .nobody]
        profile.isListed = true
        #expect(Profile(profile.fields.filter { $0.value != .null }) == profile)
    }

    @Test("Each part is shown to the people that its owner chose, and presence at most to the network")
    func shown() {
        var fields: Fields = ["given": "Ada", "status": "here", "company": "Analytics", "country": "GB"]
        #expect(Profile.shown(fields, toNetwork: false) == ["given": "Ada"])
        #expect(Profile.shown(fields, toNetwork: true) == fields)
        fields["givenVisibility"] = "nobody"
        fields["statusVisibility"] = "everyone"
        fields["presenceVisibility"] = "everyone"
        #expect(Profile.shown(fields, toNetwork: false) == ["status": "here"])
        #expect(Profile.shown(fields, toNetwork: true) == ["status": "here", "company": "Analytics", "country": "GB"])
        #expect(Profile.Part.presence.visibility(in: fields) == .network)
    }

    @Test("The relation of two people follows from the wishes of both")
    func relation() {
        let table = NetworkContact.Wish.allCases.map { wish in
            "\(wish): "
                + [false, true].map { NetworkContact.relation(wish, isAsked: $0).rawValue }.joined(separator: ", ")
        }
        #expect(
            table == [
                "none: none, received", "connect: sent, connected", "accept: sent, connected",
                "decline: none, declined",
            ])
    }

    @Test("My network contains connected people who are not blocked, not programs and not myself")
    func predicate() {
        let (me, other) = (AccountID(uuid(1)), AccountID(uuid(2)))
        func contact(_ id: AccountID, _ fields: Fields) -> NetworkContact {
            NetworkContact(id: id, fields, modified: Timestamp(milliseconds: 0))
        }
        let connected: Fields = ["wish": "accept", "asked": 1]
        #expect(contact(other, connected).isInNetwork(of: me))
        #expect(contact(other, connected).isInNetwork(of: nil))
        #expect(!contact(me, connected).isInNetwork(of: me))
        for change: Fields in [["isBlocked": true], ["isBot": true], ["wish": "none"], ["wish": "decline"]] {
            #expect(!contact(other, connected.merging(change) { $1 }).isInNetwork(of: me))
        }
        #expect(!contact(other, ["wish": "connect"]).isInNetwork(of: me))
        #expect(contact(other, ["mutedFrom": 1]).isMuted(at: Timestamp(milliseconds: 1)))
        #expect(!contact(other, ["mutedFrom": 1, "mutedUntil": 2]).isMuted(at: Timestamp(milliseconds: 2)))
    }
}
