import Foundation
import KithModel
import KithServer
import Testing

@Suite("A public link that can tick") struct LinkTicksTests {
    let town: Town
    var ada: Phone
    /// A wish list of Ada's, with a kite and a book.
    let wishes: FeedID
    let kite: ItemID
    let book: ItemID
    let token: String

    init() throws {
        town = try Town()
        ada = try town.phone()
        wishes = town.id()
        kite = town.id()
        book = town.id()
        try ada.sync(
            ada.mutation(wishes, .lists, wishes.retyped(), .set(["name": "Wishes", "kind": "wish"])),
            ada.item(kite.retyped(), "Kite", in: wishes), ada.item(book.retyped(), "Book", in: wishes))
        token = try Self.link(of: wishes, by: ada, in: town)
    }

    private static func link(of list: FeedID, by phone: Phone, in town: Town, canTick: Bool = true) throws -> String {
        let request = LinkRequest(role: .viewer, isPublic: true, canTick: canTick)
        return try town.links.create(request, for: list.retyped(), by: phone.account, at: town.now).value.token ?? ""
    }

    private func tick(
        _ item: ItemID, _ isTicked: Bool = true, by giver: String = "ben", with other: String? = nil
    ) throws -> LinkTicks.Outcome {
        try town.links.tick(item, isTicked, by: giver, with: other ?? token, at: town.now).value
    }

    private func givers(_ other: String? = nil) throws -> LinkedList.Ticks {
        try town.links.linkedList(other ?? token, at: town.now).ticks
    }

    private func gift(_ item: ItemID, by giver: String) -> LinkedList.Ticks {
        .gifts([item: GiftTable.giver(giver, of: wishes.retyped())])
    }

    private func rows() throws -> Int {
        try town.database.readNow { try $0.query("SELECT item FROM gift").count }
    }

    // MARK: The link

    @Test("A public link tells its owner whether it ticks, and what it ticks depends on the kind of list")
    func kinds() throws {
        var ada = ada
        let groceries: FeedID = town.id()
        try ada.sync(ada.create(groceries))
        let reading = try Self.link(of: groceries, by: ada, in: town, canTick: false)
        let ticking = try Self.link(of: groceries, by: ada, in: town)
        let listed = try town.links.links(of: groceries.retyped(), by: ada.account, at: town.now)
        #expect(Set(listed.map(\.canTick)) == [nil, true])
        #expect(try givers(reading) == .none && givers(ticking) == .items)
        #expect(try givers() == .gifts([:]))
    }

    @Test("A link for reading ticks nothing, an invitation is no public link, a revoked link is gone")
    func otherLinks() throws {
        let reading = try Self.link(of: wishes, by: ada, in: town, canTick: false)
        #expect(try tick(kite, with: reading) == .readOnly)
        let invitation = try town.links.create(
            LinkRequest(role: .editor), for: wishes.retyped(), by: ada.account, at: town.now
        ).value.token
        let live = try town.links.links(of: wishes.retyped(), by: ada.account, at: town.now)
        let own = try #require(live.first { $0.canTick ?? false })
        _ = try town.links.revoke(own.id, of: wishes.retyped(), by: ada.account, at: town.now)
        for (token, code) in [
            (invitation, .notFound), ("unknown", .notFound), (token, .linkExpired),
        ] as [(String?, Problem.Code)] {
            let error = #expect(throws: ServerError.self) { try tick(kite, with: token) }
            #expect(error?.code == code)
        }
        #expect(try rows() == 0)
    }

    // MARK: Gifts

    @Test("Others with the link see that an item is taken; only the same browser takes it back")
    func taking() throws {
        #expect(try tick(kite) == .given)
        #expect(try tick(kite) == .given, "Twice is the same as once.")
        #expect(try givers() == gift(kite, by: "ben"))
        #expect(try tick(kite, by: "cleo") == .taken && tick(kite, false, by: "cleo") == .taken)
        #expect(try givers() == gift(kite, by: "ben"))
        #expect(try tick(kite, false) == .given)
        #expect(try tick(kite, false) == .given)
        #expect(try givers() == .gifts([:]))
        #expect(try tick(kite, by: "cleo") == .given)
    }

    @Test("Law: Who is signed in to an account of the list learns of no gift, whatever the form says")
    func signedIn() throws {
        let cleo = try town.phone()
        for (name, account) in [("ada", ada.account), ("cleo", cleo.account)] {
            try town.execute(
                "INSERT INTO session (token_hash, account, created) VALUES (?, ?, 0)",
                [.bytes(Secret.sha256(name)), .id(account)])
        }
        func tick(_ item: ItemID, as session: String) throws -> LinkTicks.Outcome {
            try town.links.tick(item, by: session, with: token, session: session, at: town.now).value
        }
        #expect(try tick(kite, as: "cleo") == .given)
        #expect(try tick(kite, as: "ada") == .readOnly && tick(book, as: "ada") == .readOnly)
        #expect(try givers() == gift(kite, by: "cleo"))
    }

    @Test("Law: Nobody in the list gets a gift: no feed moves, only pages are told, no answer and no link has it")
    mutating func secret() throws {
        var ben = try town.phone()
        try town.join(ben, wishes, of: ada, as: .editor)
        try ben.sync()
        try ada.sync()
        let reading = try Self.link(of: wishes, by: ada, in: town, canTick: false)
        let before = try town.everything()
        let signals = try town.links.tick(kite, by: "cleo", with: token, at: town.now).signals
        #expect(signals == Signals(changedPages: [wishes]))
        #expect(try town.everything() == before)
        for var phone in [ada, ben] {
            let answer = try phone.sync().answer
            #expect(answer.feeds.isEmpty && answer.records.isEmpty)
            var fresh = Phone(town, account: phone.account)
            try fresh.sync()
            #expect(fresh.fields(wishes, kite.retyped())?["ticked"] == nil)
        }
        // JSON, and links that cannot tick.
        let shown = try town.links.publicList(token, at: town.now)
        #expect(shown == (try town.links.publicList(reading, at: town.now)))
        #expect(shown.items.allSatisfy { !$0.ticked })
        #expect(try givers(reading) == .none)
    }

    @Test("The stored giver cannot be compared with that of another list, and is not the secret") func hashes() throws {
        let other: ListID = town.id()
        #expect(GiftTable.giver("ben", of: other) != GiftTable.giver("ben", of: wishes.retyped()))
        _ = try tick(kite)
        let stored = try town.database.readNow { try $0.query("SELECT giver FROM gift").first?.bytes(0) }
        #expect(stored == GiftTable.giver("ben", of: wishes.retyped()) && stored != Data("ben".utf8))
    }

    @Test("Only an item of the link's list is given") mutating func strangers() throws {
        var cleo = try town.phone()
        let (other, tea): (FeedID, ItemID) = (town.id(), town.id())
        try cleo.sync(cleo.create(other), cleo.item(tea.retyped(), in: other))
        for item in [tea, ItemID(ada.account.uuid), ItemID(wishes.uuid), town.id()] {
            #expect(try tick(item) == .gone)
        }
        try ada.sync(ada.mutation(wishes, .items, kite.retyped(), .delete))
        #expect(try tick(kite) == .gone)
        #expect(try rows() == 0)
    }

    @Test("The marks are deleted with the item, and with the list") mutating func deletion() throws {
        _ = try (tick(kite), tick(book))
        try ada.sync(ada.mutation(wishes, .items, kite.retyped(), .delete))
        #expect(try givers() == gift(book, by: "ben") && rows() == 1)
        try ada.sync(ada.mutation(wishes, .lists, wishes.retyped(), .delete))
        #expect(try rows() == 0)
    }

    // MARK: Other lists

    @Test("On another list, a tick is the tick of the item, which the devices of its people get")
    mutating func items() throws {
        let (groceries, tea): (FeedID, ItemID) = (town.id(), town.id())
        try ada.sync(ada.create(groceries), ada.item(tea.retyped(), in: groceries))
        let link = try Self.link(of: groceries, by: ada, in: town)
        try ada.sync()
        let ticked = try town.links.tick(tea, by: "ben", with: link, at: town.now)
        #expect(ticked.value == .ticked && ticked.signals.moved == [groceries])
        try ada.sync()
        #expect(ada.fields(groceries, tea.retyped())?["ticked"] == true)
        #expect(ada.digest(groceries) == (try town.row(groceries)?.digest))
        let again = try town.links.tick(tea, by: "cleo", with: link, at: town.now)
        #expect(again.value == .ticked && again.signals == Signals(), "Twice is the same as once.")
        town.pass(.seconds(1))
        #expect(try tick(tea, false, by: "cleo", with: link) == .ticked)
        try ada.sync()
        #expect(ada.fields(groceries, tea.retyped())?["ticked"] == false)
        #expect(try rows() == 0)
    }

    @Test("A later edit of a device wins over a tick, and an earlier one does not") mutating func merging() throws {
        let (groceries, tea): (FeedID, ItemID) = (town.id(), town.id())
        try ada.sync(ada.create(groceries), ada.item(tea.retyped(), in: groceries))
        let link = try Self.link(of: groceries, by: ada, in: town)
        town.pass(.seconds(60))
        _ = try tick(tea, with: link)
        town.pass(.seconds(60))
        // An edit of before the tick, by a device that has not seen it.
        try ada.sync(ada.mutation(groceries, .items, tea.retyped(), .set(["ticked": false]), age: 90_000))
        #expect(ada.fields(groceries, tea.retyped())?["ticked"] == true)
        try ada.sync(ada.mutation(groceries, .items, tea.retyped(), .set(["ticked": false]), age: 30_000))
        #expect(ada.fields(groceries, tea.retyped())?["ticked"] == false)
    }
}
