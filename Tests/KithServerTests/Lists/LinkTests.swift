import Foundation
import KithModel
import KithServer
import Testing

@Suite("Links") struct LinkTests {
    let town: Town
    var ada: Phone
    var ben: Phone
    let list: FeedID

    init() throws {
        (town, ada, list) = try Town.withList()
        ben = try town.phone()
    }

    private func link(
        _ role: Role = .editor, expiresIn: Int64? = nil, isPublic: Bool? = nil
    ) throws -> ListLink {
        let request = LinkRequest(role: role, expiresIn: expiresIn, isPublic: isPublic)
        return try town.links.create(request, for: list.retyped(), by: ada.account, at: town.now).value
    }

    private func code<T>(_ body: () throws -> T) -> Problem.Code? {
        do {
            _ = try body()
            return nil
        } catch { return (error as? ServerError)?.code }
    }

    // MARK: Creating, seeing, revoking

    @Test("a link names the server that has its list, to its owner and to others") func namesItsServer() throws {
        let (made, open) = (try link(), try link(isPublic: true))
        let listed = try town.links.links(of: list.retyped(), by: ada.account, at: town.now)
        let servers = [
            made.server, try town.links.preview(made.token ?? "", at: town.now).server,
            try town.links.publicList(open.token ?? "", at: town.now).server,
            try town.links.revoke(made.id, of: list.retyped(), by: ada.account, at: town.now).value.server,
        ]
        #expect((servers + listed.map(\.server)).allSatisfy { $0 == town.database.server })
    }

    @Test("an invitation is valid for fourteen days by default; a public link until it is revoked")
    func expiry() throws {
        #expect(try link().expires == town.now + .days(14))
        #expect(try link(expiresIn: 60).expires == town.now + .seconds(60))
        #expect(try link(expiresIn: 365 * 86_400).expires == town.now + .days(365))
        #expect(try link(isPublic: true).expires == nil)
        #expect(try link(expiresIn: 60, isPublic: true).expires == town.now + .seconds(60))
    }

    @Test("an invalid role or expiry is malformed, with the path") func malformed() throws {
        for (request, path) in [
            (LinkRequest(role: .owner), "$.role"), (LinkRequest(role: .viewer, expiresIn: 0), "$.expiresIn"),
            (LinkRequest(role: .viewer, expiresIn: -1), "$.expiresIn"),
            (LinkRequest(role: .viewer, expiresIn: 365 * 86_400 + 1), "$.expiresIn"),
            (LinkRequest(role: .viewer, expiresIn: .max, isPublic: true), "$.expiresIn"),
            (LinkRequest(role: .editor, canTick: true), "$.canTick"),
        ] {
            let error = #expect(throws: ServerError.self) {
                try town.links.create(request, for: list.retyped(), by: ada.account, at: town.now)
            }
            #expect(error?.code == .malformed)
            #expect(error?.path == path)
        }
    }

    @Test("Law 8: Only the owner creates, sees and revokes links; to others there is no such list")
    mutating func ownerOnly() throws {
        let made = try link()
        try town.join(ben, list, of: ada, as: .editor)
        for (account, list) in [
            (ben.account, list.retyped()), (ada.account, town.id()), (ada.account, ada.home.retyped()),
        ]
            as [(AccountID, ListID)]
        {
            #expect(
                code {
                    try town.links.create(LinkRequest(role: .viewer), for: list, by: account, at: town.now)
                }
                    == .notFound)
            #expect(
                code { try town.links.revoke(made.id, of: list, by: account, at: town.now) } == .notFound)
        }
        #expect(
            code { try town.links.links(of: list.retyped(), by: ben.account, at: town.now) } == .notFound)
        #expect(code { try town.links.links(of: town.id(), by: ada.account, at: town.now) } == .notFound)
    }

    @Test("only the id of a list has links")
    func noList() throws {
        let zero = ListID(.init(high: 0, low: 0))
        for id in [ada.home.retyped(), ben.home.retyped(), zero, town.id()] {
            #expect(
                code {
                    try town.links.create(LinkRequest(role: .viewer), for: id, by: ada.account, at: town.now)
                } == .notFound)
            #expect(
                code { try town.links.revoke(town.id(), of: id, by: ada.account, at: town.now) }
                    == .notFound)
        }
    }

    @Test("live links are shown without their tokens, revoked and expired ones not")
    func shown() throws {
        let (first, second, third) = (try link(), try link(expiresIn: 60), try link(.viewer))
        #expect([first, second, third].allSatisfy { $0.token?.count == 43 })
        _ = try town.links.revoke(first.id, of: list.retyped(), by: ada.account, at: town.now)
        #expect(
            code { try town.links.revoke(first.id, of: list.retyped(), by: ada.account, at: town.now) }
                == .notFound)
        town.pass(.seconds(60))
        let links = try town.links.links(of: list.retyped(), by: ada.account, at: town.now)
        #expect(links.map(\.id) == [third.id])
        #expect(links.map(\.token) == [nil])
    }

    @Test("a list has at most a hundred live links") func limit() throws {
        for _ in 0..<Limits.links { _ = try link(expiresIn: 60) }
        #expect(code { try link() } == .tooMany)
        town.pass(.seconds(60))
        #expect(code { try link() } == nil)
    }

    // MARK: Looking and accepting

    @Test("an invitation shows what it offers") func preview() throws {
        try town.join(ben, list, of: ada, as: .viewer)
        var ada = ada
        try ada.sync(ada.item(town.id(), in: list), ada.item(town.id(), in: list))
        let made = try link()
        let preview = try town.links.preview(made.token ?? "", at: town.now)
        #expect(
            preview
                == LinkPreview(
                    list: list.retyped(), name: "Groceries", role: .editor, isPublic: false, items: 2, members: 2,
                    expires: made.expires, server: town.database.server))
    }

    @Test("accepting creates a member, a membership and access, and moves both feeds")
    mutating func accept() throws {
        let made = try link()
        let accepted = try town.links.accept(
            made.token ?? "", by: ben.account, at: town.now)
        #expect(accepted.value == LinkAcceptance(list: list.retyped(), role: .editor))
        #expect(accepted.signals.moved == [list, ben.home])
        try ben.sync()
        #expect(ben.fields(list, ben.me)?["role"] == "editor")
        #expect(ben.fields(ben.home, list.retyped())?["role"] == "editor")
        #expect(ben.fields(list, list.retyped())?["access"] == "shared")
        #expect(ben.digest(list) == (try town.row(list)?.digest))
    }

    @Test("accepting twice is the same as accepting once, and never lowers a role")
    mutating func acceptTwice() throws {
        let (viewer, editor) = (try link(.viewer), try link(.editor))
        var roles: [Role] = []
        var moved: [Bool] = []
        for token in [viewer, viewer, editor, viewer, editor].map(\.token) {
            let accepted = try town.links.accept(token ?? "", by: ben.account, at: town.now)
            roles.append(accepted.value.role)
            moved.append(!accepted.signals.moved.isEmpty)
        }
        #expect(roles == [.viewer, .viewer, .editor, .editor, .editor])
        #expect(moved == [true, false, true, false, false])
        let links = try town.links.links(of: list.retyped(), by: ada.account, at: town.now)
        #expect(links.first { $0.id == viewer.id }?.accepted == 1)
        #expect(links.first { $0.id == editor.id }?.accepted == 0)
    }

    @Test("the owner's own invitation is a conflict, a public link no invitation")
    func notForAccepting() throws {
        let (own, open) = (try link(), try link(isPublic: true))
        #expect(code { try town.links.accept(own.token ?? "", by: ada.account, at: town.now) } == .conflict)
        #expect(
            code { try town.links.accept(open.token ?? "", by: ben.account, at: town.now) } == .notFound)
    }

    @Test("expired and revoked links are gone, unknown ones are not found") func deadLinks() throws {
        let (expiring, revoked) = (try link(expiresIn: 60), try link(isPublic: true))
        _ = try town.links.revoke(revoked.id, of: list.retyped(), by: ada.account, at: town.now)
        town.pass(.seconds(60))
        for (token, expected) in [
            (expiring.token, Problem.Code.linkExpired), (revoked.token, .linkExpired), ("unknown", .notFound),
        ] {
            #expect(code { try town.links.preview(token ?? "", at: town.now) } == expected)
            #expect(code { try town.links.accept(token ?? "", by: ben.account, at: town.now) } == expected)
            #expect(code { try town.links.publicList(token ?? "", at: town.now) } == expected)
        }
    }

    @Test("a list has at most two hundred people, an account at most a thousand lists") func full() throws {
        let made = try link()
        for _ in 1..<Limits.members {
            let guest = try town.phone()
            _ = try town.links.accept(made.token ?? "", by: guest.account, at: town.now)
        }
        #expect(code { try town.links.accept(made.token ?? "", by: ben.account, at: town.now) } == .tooMany)

        let small: FeedID = town.id()
        var ada = ada
        try ada.sync(ada.create(small))
        let other = try town.links.create(
            LinkRequest(role: .viewer), for: small.retyped(), by: ada.account, at: town.now
        ).value
        try town.fillLists(of: ben.account)
        #expect(
            code { try town.links.accept(other.token ?? "", by: ben.account, at: town.now) }
                == .tooMany)
    }

    @Test("Trap: An account is deleted while it accepts a link – it becomes no member") func deletedGuest() throws {
        let made = try link()
        try town.delete(ben.account)
        // Its token was checked before.
        #expect(code { try town.links.accept(made.token ?? "", by: ben.account, at: town.now) } == .accountClosed)
        #expect(try town.role(ben.account, list) == nil && town.record(list, ben.me) == nil)
    }

    @Test("no item can have an account's id, because a person needs it to join")
    mutating func takenID() throws {
        let made = try link()
        #expect(try ada.outcomes(ada.item(ben.me, in: list)) == ["invalid"])
        _ = try town.links.accept(made.token ?? "", by: ben.account, at: town.now)
    }

    // MARK: Reading in public

    @Test("a public link shows items in the list's order, and no people")
    mutating func publicList() throws {
        let items = ["a2", "a0", "a1"].map { position in
            ada.mutation(
                list, .items, town.id(),
                .set(["title": .text("At \(position)"), "position": .text(position), "count": 2]))
        }
        try ada.sync(items)
        town.pass(.seconds(5))
        try ada.sync(
            ada.mutation(list, .items, items[1].record, .edit(set: ["ticked": true], add: ["count": 99_999])),
            ada.mutation(list, .items, items[2].record, .set(["category": "Tea", "comment": "green"])))
        let made = try link(isPublic: true)
        let shown = try town.links.publicList(made.token ?? "", at: town.now)
        #expect(
            shown
                == PublicList(
                    name: "Groceries", modified: town.now,
                    items: [
                        .init(title: "At a0", count: 9_999, ticked: true, category: nil, comment: nil),
                        .init(title: "At a1", count: 2, ticked: false, category: "Tea", comment: "green"),
                        .init(title: "At a2", count: 2, ticked: false, category: nil, comment: nil),
                    ], server: town.database.server))
        #expect(shown.more == nil)
        let invitation = try link()
        #expect(code { try town.links.publicList(invitation.token ?? "", at: town.now) } == .notFound)
    }
    @Test("a public link shows the first ten thousand items made, and says that there are more")
    func longPublicList() throws {
        // Beside the list and its owner, who are no items.
        try town.execute(
            """
            INSERT INTO record (feed, id, collection, sequence, modified, fields, stamps, deleted)
            WITH RECURSIVE number(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM number WHERE i < ?)
            SELECT ?, CAST(printf('%016d', i) AS BLOB), 'item', i + 100, 0, '{"position":"a0","title":"' || i || '"}',
                '{"":[0,0,0]}', 0 FROM number
            """, [.integer(Int64(Limits.page)), .id(list)])
        let made = try link(isPublic: true)
        let whole = try town.links.publicList(made.token ?? "", at: town.now)
        #expect(whole.items.count == Limits.page && whole.more == nil)
        var ada = ada
        try ada.sync(ada.item(RecordID(UUID(bytes: Data(repeating: 0xFF, count: 16)) ?? UUID()), "Last", in: list))
        let part = try town.links.publicList(made.token ?? "", at: town.now)
        #expect(part.items.count == Limits.page && part.more == true)
        #expect(part.name == "Groceries")
        #expect(!part.items.contains { $0.title == "Last" })
    }

    @Test("a public link shows at most a fixed number of bytes of items")
    func largePublicList() throws {
        var ada = ada
        let comment = String(repeating: "🥛", count: 2_000)
        for _ in 0..<2 {
            try ada.sync(
                (0..<400).map { _ in
                    ada.mutation(
                        list, .items, town.id(), .set(["title": "Milk", "position": "a0", "comment": .text(comment)]))
                })
        }
        let made = try link(isPublic: true)
        let shown = try town.links.publicList(made.token ?? "", at: town.now)
        #expect(shown.more == true)
        #expect((400..<600).contains(shown.items.count))
    }
}
