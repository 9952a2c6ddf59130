import KithModel
import KithServer
import Testing

@Suite("The consequences of a mutation") struct ConsequenceTests {
    let town: Town
    var ada: Phone
    var ben: Phone
    var cleo: Phone
    let list: FeedID

    /// Ada owns a list that Ben edits and Cleo views.
    init() throws {
        (town, ada, list) = try Town.withList()
        ben = try town.phone()
        cleo = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        try town.join(cleo, list, of: ada, as: .viewer)
        try ada.sync()
        try ben.sync()
        try cleo.sync()
    }

    /// Someone's role by access, by the list's member and by their own membership: they always agree.
    private func role(_ phone: Phone) throws -> String {
        func text(_ record: RecordRow?) -> String {
            record.map { $0.state.isDeleted ? "gone" : $0.state.fields["role"]?.text ?? "?" } ?? "none"
        }
        let words = [
            try town.role(phone.account, list)?.rawValue ?? "gone", text(try town.record(list, phone.me)),
            text(try town.record(phone.home, list.retyped())),
        ]
        return Set(words).count == 1 ? words[0] : words.joined(separator: "/")
    }

    private func access() throws -> FieldValue? { try town.record(list, list.retyped())?.state.fields["access"] }

    @Test("a new list creates the feed, the owner's member and membership") mutating func newList() throws {
        let new: FeedID = town.id()
        let synced = try ada.sync(ada.create(new, "Books"))
        #expect(synced.signals.moved == [new, ada.home])
        #expect(try town.role(ada.account, new) == .owner)
        #expect(ada.replica[new]?.count == 2)
        #expect(ada.fields(new, ada.me)?["role"] == "owner")
        #expect(ada.fields(ada.home, new.retyped())?["role"] == "owner")
        #expect(try town.row(new)?.sequence == 2)
    }

    @Test("a new item has its creator") mutating func creator() throws {
        let item: RecordID<Never> = town.id()
        try ben.sync(ben.item(item, in: list))
        try ada.sync(ada.mutation(list, .items, item, .set(["ticked": true])))
        #expect(ada.fields(list, item)?["creator"] == .text(ben.account.description))
    }

    @Test("deleting a list closes its feed, and removes everyone's access and membership")
    mutating func listDeleted() throws {
        let link = try town.links.create(
            LinkRequest(role: .viewer), for: list.retyped(), by: ada.account, at: town.now)
        let synced = try ada.sync(ada.mutation(list, .lists, list.retyped(), .delete), ada.item(town.id(), in: list))
        #expect(synced.signals.moved == [list, ada.home, ben.home, cleo.home])
        #expect(synced.answer.outcomes.map(\.code) == [.forbidden])
        #expect(synced.answer.lost == [list])
        #expect(synced.answer.records.isEmpty)
        for var phone in [ada, ben, cleo] {
            #expect(try town.role(phone.account, list) == nil)
            let answer = try phone.sync().answer
            #expect(phone.replica[phone.home]?.isEmpty == true)
            #expect(phone.account == ada.account || answer.lost == [list])
        }
        #expect(try town.row(list)?.isClosed == true)
        #expect(try ada.outcomes(ada.create(list)) == ["forbidden"])
        let error = #expect(throws: ServerError.self) {
            try town.links.accept(link.value.token ?? "", by: ben.account, at: town.now)
        }
        #expect(error?.code == .notFound)
    }

    @Test("setting a member's role updates access and membership", arguments: [Role.viewer, .editor])
    mutating func roleSet(role: Role) throws {
        for phone in [ben, cleo] {
            try ada.sync(ada.role(role, of: phone.account, in: list))
            #expect(try self.role(phone) == role.rawValue)
        }
        #expect(try self.role(ada) == "owner")
    }

    @Test("a new owner makes the old one an editor") mutating func handOver() throws {
        let synced = try ada.sync(ada.role(.owner, of: ben.account, in: list))
        #expect(synced.signals.moved == [list, ada.home, ben.home])
        #expect(try [ada, ben, cleo].map(role) == ["editor", "owner", "viewer"])
        #expect(try ada.outcomes(ada.role(.viewer, of: cleo.account, in: list)) == ["forbidden"])
        #expect(try ben.outcomes(ben.role(.owner, of: ada.account, in: list)) == ["applied"])
        #expect(try [ada, ben, cleo].map(role) == ["owner", "editor", "viewer"])
    }

    @Test("the owner's own role cannot be set, and the owner cannot be removed or leave")
    mutating func ownerStays() throws {
        #expect(
            try ada.outcomes(
                ada.role(.editor, of: ada.account, in: list), ada.role(.owner, of: ada.account, in: list),
                ada.mutation(list, .members, ada.me, .delete), ada.leave(list),
                ada.mutation(list, .members, ada.me, .set(["name": "Ada"]))
            ) == ["ownerStays", "ownerStays", "ownerStays", "ownerStays", "applied"])
        #expect(try role(ada) == "owner")
    }

    @Test("removing a member removes access and membership, and notifies the person")
    mutating func memberRemoved() throws {
        let synced = try ada.sync(ada.mutation(list, .members, ben.me, .delete))
        #expect(synced.signals.moved == [list, ben.home])
        #expect(try role(ben) == "gone")
        let answer = try ben.sync(ben.item(town.id(), in: list)).answer
        #expect(answer.lost == [list])
        #expect(answer.outcomes.map(\.code) == [.forbidden])
        #expect(ben.replica[list] == nil)
    }

    @Test("deleting a membership means leaving the list") mutating func left() throws {
        let synced = try ben.sync(ben.leave(list))
        #expect(synced.signals.moved == [list, ben.home])
        #expect(synced.answer.lost == [list])
        #expect(try role(ben) == "gone")
        #expect(try ben.outcomes(ben.leave(list)) == ["superseded"])
    }

    @Test("people who left can join again by a link") mutating func cameBack() throws {
        try ben.sync(ben.leave(list))
        try town.join(ben, list, of: ada, as: .viewer)
        #expect(try role(ben) == "viewer")
        try ben.sync()
        #expect(ben.replica[list]?.count == 4)
        #expect(ben.digest(list) == (try town.row(list)?.digest))
    }

    @Test("the list's access follows its people and links")
    mutating func listAccess() throws {
        #expect(try access() == "shared")
        let link = try town.links.create(
            LinkRequest(role: .viewer, isPublic: true), for: list.retyped(), by: ada.account, at: town.now)
        #expect(link.signals.moved == [list])
        #expect(try access() == "public")
        try ben.sync(ben.leave(list))
        #expect(try access() == "public")
        let revoked = try town.links.revoke(
            link.value.id, of: list.retyped(), by: ada.account, at: town.now)
        #expect(revoked.signals.moved == [list])
        #expect(try access() == "shared")
        try ada.sync(ada.mutation(list, .members, cleo.me, .delete))
        #expect(try access() == "private")
    }

    @Test("two people leaving in one request has the same effect as in two") mutating func twoRemoved() throws {
        try ada.sync(ada.mutation(list, .members, ben.me, .delete), ada.mutation(list, .members, cleo.me, .delete))
        #expect(try [role(ben), role(cleo)] == ["gone", "gone"])
        #expect(try access() == "private")
        try ada.sync()
        #expect(ada.digest(list) == (try town.row(list)?.digest))
    }

    @Test("a list handed over and left in one request has its new owner")
    mutating func handedOverAndLeft() throws {
        #expect(
            try ada.outcomes(ada.role(.owner, of: ben.account, in: list), ada.leave(list)) == ["applied", "applied"])
        #expect(try [ada, ben].map(role) == ["gone", "owner"])
        #expect(ada.replica[list] == nil)
    }

    // MARK: Late edits

    @Test("the server's writes to a record do not change the stamps of other fields")
    mutating func stampsStay() throws {
        let new: FeedID = town.id()
        try ada.sync(ada.create(new, "Books"))
        town.pass(.seconds(60))
        try town.join(ben, new, of: ada, as: .editor)
        #expect(try town.record(new, new.retyped())?.state.fields["access"] == "shared")
        town.pass(.seconds(10))
        let late = ben.mutation(new, .lists, new.retyped(), .set(["name": "Old books"]), age: 30_000)
        #expect(try ben.outcomes(late) == ["applied"])
    }

    @Test("a role that follows from a handover has the handover's stamp") mutating func followingRole() throws {
        town.pass(.seconds(60))
        try ada.sync(ada.role(.owner, of: ben.account, in: list))
        town.pass(.seconds(10))
        let late = ben.mutation(list, .members, ada.me, .set(["role": "viewer"]), age: 30_000)
        #expect(try ben.outcomes(late) == ["superseded"])
        #expect(try [ada, ben].map(role) == ["editor", "owner"])
    }

    @Test("deleting a list deletes its links and removed people")
    mutating func nothingLeft() throws {
        func count(_ table: String) throws -> Int64? {
            try town.database.readNow { [list] transaction in
                try transaction.query("SELECT COUNT(*) FROM \(table) WHERE list = ?", [.id(list)]).first?.integer(0)
            }
        }
        try ada.sync(ada.mutation(list, .members, cleo.me, .delete))
        #expect(try [count("link"), count("removed")] == [2, 1])
        try ada.sync(ada.mutation(list, .lists, list.retyped(), .delete))
        #expect(try [count("link"), count("removed")] == [0, 0])
    }
}
