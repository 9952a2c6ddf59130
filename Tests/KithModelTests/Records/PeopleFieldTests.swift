import KithModel
import Testing

extension FieldTests {
    private static let hash = String(repeating: "0a", count: 32)
    private static let flags: (good: [FieldValue], bad: [FieldValue]) = ([true, false, .null], [0, 1, "true", [:]])

    /// The rows of what people say of themselves and want of each other.
    static let peopleRows: [Row] =
        texts(Profile.schema)
        + ["phones", "emails", "sites"].map { field in
            let longest = ["phones": 60, "emails": 254, "sites": 500][field] ?? 0
            let entry: FieldValue = .object(["value": Row.text("x", longest), "label": "home", "type": "mobile"])
            return entries(field, entry, upTo: 20, longest: longest, first: "value")
        } + [
            entries(
                "addresses", .object(["text": Row.text("x", 500), "label": "home"]), upTo: 10, longest: 500,
                first: "text"),
            Row(schema: Profile.schema, field: "isListed", good: flags.good, bad: flags.bad),
            .text(Profile.schema, "claimedEmail", 254),
            Row(schema: Profile.schema, field: "isDiscoverable", good: flags.good, bad: flags.bad),
            Row(schema: Profile.schema, field: "isNotifiedOfJoins", good: flags.good, bad: flags.bad),
        ]
        + Profile.Part.allCases.map { part in
            Row(
                schema: Profile.schema, field: part.rawValue + "Visibility",
                good: ["nobody", "network", .null] + (part.widest == .everyone ? ["everyone"] : []),
                bad: ["all", "", true] + (part.widest == .everyone ? [] : ["everyone"]))
        } + texts(NetworkContact.schema) + [
            Row(
                schema: NetworkContact.schema, field: "wish", good: ["none", "connect", "accept", "decline", .null],
                bad: ["connected", "", true]),
            Row(schema: NetworkContact.schema, field: "isBlocked", good: flags.good, bad: flags.bad),
            Row(schema: NetworkContact.schema, field: "isBot", good: flags.good, bad: flags.bad),
            .text(NetworkContact.schema, "detailsTag", 64),
        ]
        + ["mutedFrom", "mutedUntil", "blocked", "asked", "accepted", "notified"].map { field in
            Row(
                schema: NetworkContact.schema, field: field, good: [0, .integer(.max), .null],
                bad: [-1, "1", 1.5, true])
        }

    /// The texts that a profile has and a contact shows, and the hashes of its picture.
    private static func texts(_ schema: Schema) -> [Row] {
        let lengths = [
            ("given", 100), ("family", 100), ("nick", 100), ("title", 60), ("jobTitle", 100), ("company", 100),
            ("status", 200), ("language", 35), ("country", 2), ("timeZone", 60),
        ]
        return lengths.filter { schema[$0.0] != nil }.map { Row.text(schema, $0.0, $0.1) }
            + ["pictureSmall", "pictureLarge"].map { field in
                Row(
                    schema: schema, field: field, good: [.text(hash), .null],
                    bad: [.text(hash.uppercased()), .text(hash + "0"), "", 1, true])
            }
    }

    private static func entries(
        _ field: String, _ entry: FieldValue, upTo most: Int, longest: Int, first: String
    ) -> Row {
        Row(
            schema: Profile.schema, field: field,
            good: [.null, .array([]), .array([entry]), .array(Array(repeating: entry, count: most))],
            bad: [
                "x", 1, true, .object([:]), .array(["x"]), .array([.object([:])]), .array([.object([first: ""])]),
                .array([.object([first: " "])]), .array([.object([first: Row.text("x", longest + 1)])]),
                .array([.object([first: "a\0b"])]), .array([.object([first: 1])]),
                .array([.object([first: "x", "other": "y"])]),
                .array([.object([first: "x", "label": Row.text("x", 61)])]),
                .array(Array(repeating: entry, count: most + 1)),
            ])
    }
}

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
