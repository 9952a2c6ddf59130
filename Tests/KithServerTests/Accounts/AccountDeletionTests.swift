import KithModel
import KithServer
import Testing

@Suite("Deleting an account, and deciding about its lists") struct AccountDeletionTests {
    private let town: Town
    private var ada: Phone
    private let (ben, cleo): (Phone, Phone)
    private let list: FeedID

    init() throws {
        (town, ada, list) = try Town.withList()
        (ben, cleo) = (try town.phone(), try town.phone())
        try town.join(ben, list, of: ada, as: .viewer)
        town.pass(.seconds(60))
        try town.join(cleo, list, of: ada, as: .editor)
    }

    private func delete(_ lists: [FeedID: ListDecision] = [:], others: AccountDeletion.Rest? = nil) async throws {
        let decisions = lists.map { AccountDeletion.Entry(list: $0.key.retyped(), decision: $0.value) }
        try await AccountService(database: town.database, signals: .none).delete(
            ada.account, deciding: AccountDeletion(lists: decisions, others: others), at: town.now)
    }

    private var isThere: Bool {
        get throws {
            try town.database.readNow { [account = ada.account] in
                try !$0.query("SELECT 1 FROM account WHERE id = ?", [.id(account)]).isEmpty
            }
        }
    }

    @Test("Trap: A list gets a new owner without a decision – nothing is deleted, and the error names the list")
    func undecided() async throws {
        let error = await #expect(throws: ServerError.self) { try await delete() }
        #expect(error?.code == .listsUndecided && error?.sentence.contains("“Groceries”") == true)
        #expect(try isThere && town.role(ada.account, list) == .owner)
    }

    @Test("A list is handed over to the named person, and its people see the new owner") func handOver() async throws {
        try await delete([list: .handOver(to: ben.account)])
        #expect(try town.role(ben.account, list) == .owner && town.role(cleo.account, list) == .editor)
        #expect(try town.role(ada.account, list) == nil && !isThere)
        var phone = ben
        try phone.sync()
        #expect(phone.fields(list, ben.me)?["role"] == "owner" && phone.fields(list, ada.me) == nil)
        try town.reach()
        #expect(try town.role(ben.account, list) == .owner)
    }

    @Test("A list goes to the person who has been an editor for the longest time, not to the one who joined first")
    mutating func longestEditor() async throws {
        let dora = try town.phone()
        town.pass(.seconds(60))
        try town.join(dora, list, of: ada, as: .editor)
        town.pass(.seconds(60))
        // Ben was in the list first, and is an editor last.
        try ada.sync(ada.role(.editor, of: ben.account, in: list))
        try await delete(others: .editor)
        #expect(try town.role(cleo.account, list) == .owner)
        #expect(try town.role(dora.account, list) == .editor && town.role(ben.account, list) == .editor)
    }

    @Test("If the operator deletes the account, the same rule decides: the longest-standing editor, else viewer")
    mutating func operatorsRule() throws {
        let (old, other): (Phone, FeedID) = (try town.phone(), town.id())
        town.pass(.seconds(60))
        // Ben has the oldest account, and becomes an editor last.
        try ada.sync(ada.role(.editor, of: ben.account, in: list))
        try ada.sync(ada.create(other, "Trip"))
        try town.join(old, other, of: ada, as: .viewer)
        town.pass(.seconds(60))
        try town.join(ben, other, of: ada, as: .viewer)
        try town.delete(ada.account)
        try town.reach()
        #expect(try town.role(cleo.account, list) == .owner && town.role(ben.account, list) == .editor)
        #expect(try town.role(old.account, other) == .owner && town.role(ben.account, other) == .viewer)
    }

    @Test("A list never goes to somebody whose account was deleted too")
    mutating func deletedHeir() async throws {
        try town.delete(cleo.account)
        let error = await #expect(throws: ServerError.self) { try await delete([list: .handOver(to: cleo.account)]) }
        #expect(error?.code == .listsUndecided)
        let other = await #expect(throws: ServerError.self) { try await delete(others: .editor) }
        #expect(other?.code == .listsUndecided)
        try town.delete(ada.account)
        try town.reach()
        #expect(try town.role(ben.account, list) == .owner)
        // Nobody is left who could own it.
        let own: FeedID = town.id()
        var dora = try town.phone()
        let emil = try town.phone()
        try dora.sync(dora.create(own))
        try town.join(emil, own, of: dora, as: .editor)
        try town.delete(emil.account)
        try await AccountService(database: town.database, signals: .none).delete(
            dora.account, deciding: AccountDeletion(), at: town.now)
        try town.reach()
        #expect(try town.row(own)?.isClosed == true)
    }

    @Test("A list can be deleted for everybody, and a list without other people needs no decision")
    mutating func deleted() async throws {
        let own: FeedID = town.id()
        try ada.sync(ada.create(own))
        try await delete([list: .delete])
        #expect(try town.row(list)?.isClosed == true && town.role(ben.account, list) == nil)
        var phone = ben
        try phone.sync()
        #expect(phone.fields(list, list.retyped()) == nil)
        try town.reach()
        #expect(try town.row(own)?.isClosed == true)
    }

    @Test("A decision that cannot be carried out stops the deletion before anything changes")
    mutating func impossible() async throws {
        let other: FeedID = town.id()
        try ada.sync(ada.create(other, "Trip"))
        try town.join(ben, other, of: ada, as: .viewer)
        let stranger = try town.phone()
        for decisions: [FeedID: ListDecision] in [
            [list: .handOver(to: stranger.account), other: .delete],
            [list: .handOver(to: ada.account), other: .delete],
            [list: .delete, other: .handOverToEditor],
        ] {
            let error = await #expect(throws: ServerError.self) { try await delete(decisions) }
            #expect(error?.code == .listsUndecided)
            #expect(try isThere && town.role(ada.account, list) == .owner && town.role(ada.account, other) == .owner)
        }
        try await delete([list: .delete], others: .delete)
        #expect(try !isThere)
    }

    @Test(
        "A list that somebody is to get is not deleted because the person has just left it",
        arguments: [false, true])
    mutating func nobodyLeft(isForEditor: Bool) async throws {
        try ada.sync([ben, cleo].map { ada.mutation(list, .members, $0.me, .delete) })
        let decision = isForEditor ? ListDecision.handOverToEditor : .handOver(to: ben.account)
        let error = await #expect(throws: ServerError.self) { try await delete([list: decision]) }
        #expect(error?.code == .listsUndecided && error?.sentence.contains("“Groceries”") == true)
        #expect(try isThere && town.role(ada.account, list) == .owner)
        try await delete([list: .delete], others: .editor)
        #expect(try !isThere)
    }

    @Test("More lists than one transaction changes are all decided") mutating func many() async throws {
        var lists: [FeedID] = []
        for _ in 0..<25 {
            let list: FeedID = town.id()
            try ada.sync(ada.create(list))
            try town.join(ben, list, of: ada, as: .viewer)
            lists.append(list)
        }
        let decisions = Dictionary(uniqueKeysWithValues: lists.map { ($0, ListDecision.handOver(to: ben.account)) })
        try await delete(decisions, others: .delete)
        for list in lists { #expect(try town.role(ben.account, list) == .owner) }
        #expect(try town.row(list)?.isClosed == true && !isThere)
    }

    @Test("The statements of a transaction do not grow with the number of lists")
    mutating func constantWork() async throws {
        var counts: [Int] = []
        for number in [20, 40] {
            var owner = try town.phone()
            for _ in 0..<number {
                let list: FeedID = town.id()
                try owner.sync(owner.create(list))
                try town.join(ben, list, of: owner, as: .editor)
            }
            let counting = CountingDatabase(town.database)
            try await AccountService(database: counting, signals: .none).delete(
                owner.account, deciding: AccountDeletion(others: .editor), at: town.now)
            counts.append(counting.statements.count)
        }
        #expect(counts[1] < counts[0] * 2)
    }

    @Test("Afterwards the email is free, the sessions are closed, and messages about the account stop")
    func afterwards() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        let pairing = try await world.pair(phone)
        let token = String(try #require(pairing.link.split(separator: "#").last))
        _ = try await world.pairings.use(PairingUse(token: token), by: world.requester(tablet), at: world.now)
        #expect(try await world.recipients(of: .device).count == 1)
        try await world.sessions.name(phone.token, SessionName(device: "Ada’s phone"))
        let uses = SessionUses()
        uses.note(Secret.sha256(phone.token), stored: nil, at: world.now)
        try await AccountService(database: world.database, signals: .none).delete(
            phone.account, deciding: AccountDeletion(), at: world.now)
        // Requests that began before.
        try await uses.write(to: world.database)
        _ = try? await world.sessions.name(phone.token, SessionName(device: "Ada’s phone"))
        let codes = await errorCode {
            try await world.recovery.create(for: phone.account, languages: [], address: "203.0.113.7", at: world.now)
        }
        #expect(codes == .busy)
        let told = try await world.database.read { [account = phone.account] transaction in
            try transaction.query(
                "SELECT 1 FROM session WHERE account = ? AND (device IS NOT NULL OR used IS NOT NULL)", [.id(account)])
        }
        #expect(told.isEmpty)
        #expect(try await world.recipients(of: .device).isEmpty)
        #expect(await errorCode { try await world.sessions.verify(phone.token) } == .accountClosed)
        world.clock.advance(.seconds(60))
        #expect(try await world.signIn("ada@example.com", by: tablet).account == tablet.account)
    }
}
