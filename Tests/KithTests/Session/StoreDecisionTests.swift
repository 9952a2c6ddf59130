import Foundation
import Kith
import KithModel
import Testing

@Suite("Deciding about stores that a sign-in hides") struct StoreDecisionTests {
    private let folder = TemporaryFolder()
    private let server = FakeServer()
    private let credentials = InMemoryCredentialStore()
    /// The number of starts of the device. Each start generates its own ids.
    private let starts = Kept(UInt64(0))

    private static var email: Identity {
        get throws { try #require(Identity("mailto:ada@example.com")) }
    }

    /// The device after another start.
    private func tablet(faults: Replica.Faults = Replica.Faults()) throws -> Phone {
        starts.change { $0 += 1 }
        return try Phone(
            server, file: folder.replica, seed: starts.value, credentials: credentials, faults: faults)
    }

    /// Gives Ada's email to an account of another device, which has a list.
    private func ada() async throws -> AccountID {
        let (phone, _) = try await Phone.withList(server, seed: 77)
        let account = try #require(try await phone.client.session.account())
        let email = try Self.email
        server.change { $0.identities[email] = account }
        return account
    }

    /// Signs in with Ada's email.
    private func signIn(_ phone: Phone) async throws -> SignIn.Result {
        let sent = try await phone.client.signIn.requestCode(for: Self.email)
        return try await phone.client.signIn.check(World.code, of: sent)
    }

    @Test(
        "A store that a sign-in hides waits for the decision, also after a restart", arguments: StoreDecision.allCases)
    func decisions(decision: StoreDecision) async throws {
        let account = try await ada()
        var tablet = try tablet()
        let list = try await tablet.lists.create("Mine").id
        try await tablet.client.syncNow()
        try await tablet.lists.add("Unsent", to: list)
        let before = try #require(try await tablet.client.session.account())
        let result = try await signIn(tablet)
        #expect(result.account == account && result.isOtherAccount && !result.isNewAccount)
        #expect(result.hidden.stores.map(\.scope) == [.account(before)] && result.hidden.waiting == 1)
        #expect(result.hidden.stores.map(\.isUndecided) == [true])
        tablet = try self.tablet()
        let undecided = try await tablet.client.accounts.undecided()
        #expect(undecided.map(\.scope) == [.account(before)] && undecided.map(\.lists) == [1])
        try await tablet.client.syncNow()
        let moved = try await tablet.client.accounts.decide(decision, about: .account(before))
        tablet = try self.tablet()
        #expect(try await tablet.client.accounts.undecided().isEmpty)
        let store = try await tablet.client.accounts.store(.account(before))
        switch decision {
        case .keep:
            #expect(store?.lists == 1 && store?.waiting == 1)
            #expect(try await tablet.lists.all().map(\.name) == ["Groceries"])
        case .move:
            #expect(store?.lists == 0)
            #expect(Set(try await tablet.lists.all().map(\.name)) == ["Groceries", "Mine"])
            #expect(try await tablet.titles(in: try #require(moved[list])) == ["Unsent"])
        case .drop:
            #expect(store == nil)
            #expect(try await tablet.lists.all().map(\.name) == ["Groceries"])
        }
    }

    @Test("After a log-out, a sign-in hides the userless store, but not before the code was checked")
    func userless() async throws {
        let account = try await ada()
        let tablet = try tablet()
        try await tablet.client.syncNow()
        try await tablet.client.session.logOut()
        let list = try await tablet.lists.create("Made without an account").id
        let sent = try await tablet.client.signIn.requestCode(for: Self.email)
        #expect(try await tablet.client.session.state() == .loggedOut)
        #expect(try await tablet.lists.all().map(\.id) == [list])
        let restarted = try self.tablet()
        let result = try await restarted.client.signIn.check(World.code, of: sent)
        #expect(result.account == account && result.hidden.stores.map(\.scope) == [.userless])
        #expect(try await restarted.client.accounts.undecided().map(\.scope) == [.userless])
        #expect(credentials.secret(for: .signIn) == nil)
        try await restarted.client.accounts.decide(.move, about: .userless)
        try await restarted.client.syncNow()
        #expect(server.change { $0.fields(list, in: list) }?["name"] == "Made without an account")
    }

    @Test("An email without an account opens a new, empty account")
    func newAccount() async throws {
        let tablet = try tablet()
        try await tablet.client.syncNow()
        try await tablet.client.session.logOut()
        let list = try await tablet.lists.create("Made without an account").id
        let result = try await signIn(tablet)
        #expect(result.isNewAccount && result.isOtherAccount && result.hidden.stores.map(\.scope) == [.userless])
        #expect(try await tablet.client.session.state() == .identified)
        #expect(try await tablet.lists.all(within: .userless).map(\.id) == [list])
        try await tablet.client.syncNow()
        #expect(try await tablet.client.session.account() == result.account)
    }

    @Test("A store that is hidden because a new session replaces a refused one waits for the decision")
    func replacedSession() async throws {
        var tablet = try tablet()
        let list = try await tablet.lists.create("Mine").id
        try await tablet.client.syncNow()
        let before = AccountScope.account(try #require(try await tablet.client.session.account()))
        server.change { $0.tokens = [:] }
        var hidings = tablet.client.accounts.hidden().makeAsyncIterator()
        try await tablet.client.syncNow()
        #expect(await hidings.next()?.stores.map(\.isUndecided) == [true])
        #expect(try await tablet.client.accounts.undecided().map(\.scope) == [before])
        tablet = try self.tablet()
        #expect(try await tablet.client.accounts.undecided().map(\.scope) == [before])
        let moved = try await tablet.client.accounts.decide(.move, about: before)
        #expect(moved[list] != nil)
        #expect(try await tablet.lists.all().map(\.name) == ["Mine"])
        #expect(try await self.tablet().client.accounts.undecided().isEmpty)
    }

    @Test(
        "A token and a new session ask about the store that they hide; a selection and a log-out do not",
        arguments: 0..<4)
    func otherWays(way: Int) async throws {
        let tablet = try tablet()
        _ = try await tablet.lists.create("Mine")
        try await tablet.client.syncNow()
        let before = AccountScope.account(try #require(try await tablet.client.session.account()))
        let session = tablet.client.session
        switch way {
        case 0: _ = try await session.activate(token: server.change { $0.openSession(at: tablet.clock.now) }.token)
        case 1: try await session.open()
        case 2: try await session.logOut()
        default:
            let other = try await session.activate(token: server.change { $0.openSession(at: tablet.clock.now) }.token)
            try await session.select(before)
            #expect(try await tablet.client.accounts.undecided().isEmpty, "It is shown again.")
            try await session.select(.account(other.account))
        }
        #expect(try await tablet.client.accounts.undecided().map(\.scope) == (way < 2 ? [before] : []))
    }

    @Test("An identified account whose token is refused keeps everything, and sends it after signing in again")
    func signInAgain() async throws {
        let tablet = try tablet()
        let list = try await tablet.lists.create("Mine").id
        try await tablet.client.syncNow()
        let first = try await signIn(tablet)
        #expect(!first.isOtherAccount && !first.isNewAccount)
        try await tablet.lists.add("Unsent", to: list)
        server.change { $0.tokens = [:] }
        #expect(await code { try await tablet.client.syncNow() } == .unauthorized)
        #expect(try await tablet.client.session.state() == .invalidToken)
        let again = try await signIn(tablet)
        #expect(again.account == first.account && !again.isOtherAccount && again.hidden.isEmpty)
        try await tablet.client.syncNow()
        #expect(try await tablet.waiting() == 0)
        #expect(server.change { $0.titles(in: list) } == ["Unsent"])
        #expect(try await tablet.client.accounts.all().count == 1)
    }

    @Test(
        "A kill at any commit of a sign-in or a decision loses nothing; the device asks again",
        arguments: StoreDecision.allCases, [false, true])
    func kills(decision: StoreDecision, isAfterCommit: Bool) async throws {
        for commit in 1...12 {
            let world = StoreDecisionTests()
            if try await !world.killed(at: commit, isAfterCommit: isAfterCommit, decision) { return }
        }
        Issue.record("The sign-in has more commits than expected.")
    }

    /// Runs a sign-in and a decision that are killed at a commit. Then repeats them to their end.
    ///
    /// - Returns: Whether there was such a commit.
    private func killed(at commit: Int, isAfterCommit: Bool, _ decision: StoreDecision) async throws -> Bool {
        let account = try await ada()
        let first = try tablet()
        let list = try await first.lists.create("Mine").id
        try await first.client.syncNow()
        try await first.lists.add("Unsent", to: list)
        let before = AccountScope.account(try #require(try await first.client.session.account()))
        let sent = try await first.client.signIn.requestCode(for: Self.email)
        let left = Kept(commit)
        let kill: @Sendable () throws -> Void = {
            left.change { $0 -= 1 }
            if left.value == 0 { throw Crash() }
        }
        var faults = Replica.Faults()
        if isAfterCommit { faults.afterCommit = kill } else { faults.beforeCommit = kill }
        var wasKilled = false
        do {
            let tablet = try tablet(faults: faults)
            _ = try await tablet.client.signIn.check(World.code, of: sent)
            try await tablet.client.accounts.decide(decision, about: before)
        } catch is Crash { wasKilled = true }
        // The device starts again, and finishes what it has begun.
        let tablet = try tablet()
        if try await tablet.client.session.account() != account {
            #expect(try await tablet.lists.all().map(\.name) == ["Mine"], "commit \(commit)")
            _ = try await tablet.client.signIn.check(World.code, of: sent)
        }
        let store = try await tablet.client.accounts.store(before)
        let isDecided = try await tablet.client.accounts.undecided().isEmpty
        if !isDecided {
            #expect(store?.lists == 1 && store?.waiting == 1, "commit \(commit)")
            try await tablet.client.accounts.decide(decision, about: before)
        }
        try await tablet.client.syncNow()
        let names = Set(try await tablet.lists.all().map(\.name))
        #expect(names == (decision == .move ? ["Groceries", "Mine"] : ["Groceries"]), "commit \(commit)")
        #expect(try await tablet.client.accounts.undecided().isEmpty)
        if decision == .keep {
            #expect(try await tablet.lists.items(in: list, within: before).map(\.title) == ["Unsent"])
        }
        return wasKilled
    }

    @Test("Nothing moves to an account that was deleted; the error says what to do first") func deletedTarget()
        async throws
    {
        _ = try await ada()
        let tablet = try tablet()
        _ = try await tablet.lists.create("Mine")
        try await tablet.client.syncNow()
        let before = AccountScope.account(try #require(try await tablet.client.session.account()))
        _ = try await signIn(tablet)
        server.refuse(401, .accountClosed) { $0 == "/v1/sync" }
        #expect(await code { try await tablet.client.syncNow() } == .accountClosed)
        server.mend()
        let accounts = tablet.client.accounts
        let error = await #expect(throws: KithError.self) { try await accounts.decide(.move, about: before) }
        #expect(error?.code == .refused && error?.sentence.contains("was deleted") == true)
        try await tablet.client.session.open()
        #expect(try await accounts.decide(.move, about: before).count == 1)
    }

    @Test("A decision about the current store or a missing store is refused") func refusals() async throws {
        let tablet = try tablet()
        try await tablet.client.syncNow()
        let shown = AccountScope.account(try #require(try await tablet.client.session.account()))
        #expect(await code { _ = try await tablet.client.accounts.decide(.drop, about: shown) } == .refused)
        #expect(await code { _ = try await tablet.client.accounts.decide(.keep, about: .userless) } == .notFound)
        let pinned = try Phone(server, file: folder.replica, credentials: credentials, account: shown)
        #expect(await code { _ = try await pinned.client.accounts.decide(.keep, about: .userless) } == .refused)
    }
}
