import Foundation
import Kith
import KithModel
import Testing

@Suite("Signals of sharing") struct SharingSignalTests {
    private let server = FakeServer()

    /// The server writes a referral and its reward.
    private func reward(_ account: AccountID, state: String = "granted") {
        let now = server.clock.now
        let (referral, reward) = (
            RecordID<Never>(UUID(high: 0x0190_0000_0000_7000, low: 1)),
            RecordID<Never>(UUID(high: 0x0190_0000_0000_7000, low: 2))
        )
        server.change { world in
            world.write(
                .referrals, referral,
                [
                    "programme": "friends", "basis": "code", "friendName": "Ben", "joined": .integer(now.milliseconds),
                    "state": .text(state),
                ], in: account.retyped(), at: now)
            world.write(
                .rewards, reward,
                [
                    "programme": "friends", "name": "voucher-5", "side": "advocate",
                    "referral": .text(referral.description), "granted": .integer(now.milliseconds),
                ], in: account.retyped(), at: now)
        }
    }

    @Test("Observers receive what there is, then each change once, with its origin") func inOrder() async throws {
        let phone = try Phone(server)
        let sharing = phone.client.sharing
        let mine = try await sharing.shareable(in: "friends")
        var changes = sharing.changes().makeAsyncIterator()
        let state = try #require(await changes.next())
        #expect(state.shareables.added == [mine] && state.origin == .state && !state.isPopulated)
        try await sharing.share(mine.id, by: .sheet)
        let shared = try #require(await changes.next())
        #expect(shared.shares.added.map(\.channel) == [.sheet] && shared.origin == .device)
        #expect(shared.shareables.isEmpty && shared.claims.isEmpty)
        try await phone.client.syncNow()
        // The confirmations of the device's own edits may come first.
        var populated = try #require(await changes.next())
        while !populated.isPopulated {
            #expect(populated.origin == .device)
            populated = try #require(await changes.next())
        }
        #expect(populated.isEmpty)
        let account = try present(await phone.client.session.account())
        reward(account, state: "held")
        try await phone.client.syncNow()
        let earned = try #require(await changes.next())
        #expect(earned.origin == .server && earned.referrals.added.map(\.friendName) == ["Ben"])
        #expect(earned.rewards.added.map(\.name) == ["voucher-5"])
        #expect(earned.rewards.added.first?.referral == earned.referrals.added.first?.id)
        reward(account)
        try await phone.client.syncNow()
        #expect(await changes.next()?.referrals.modified.map(\.state) == [.granted])
        #expect(try await sharing.referrals().map(\.state) == [.granted])
        #expect(try await sharing.rewards().map(\.side) == [.advocate])
    }

    @Test("A new device receives everything of the account in its first round, and then the word that it is complete")
    func newDevice() async throws {
        let phone = try Phone(server)
        let mine = try await phone.client.sharing.shareable(in: "friends")
        try await phone.client.sharing.share(mine.id, by: .link)
        try await phone.client.sharing.use(code: "BEN-TEA")
        try await phone.client.syncNow()
        let account = try present(await phone.client.session.account())
        reward(account)
        let tablet = try Phone(server, seed: 2)
        let token = try #require(try phone.credentials.token(for: account))
        _ = try await tablet.client.session.activate(token: token)
        var received = SharedSoFar()
        var changes = tablet.client.sharing.changes().makeAsyncIterator()
        received.take(try #require(await changes.next()))
        try await tablet.client.syncNow()
        while !received.isPopulated { received.take(try #require(await changes.next())) }
        #expect(received.counts == [1, 1, 1, 1, 1])
        #expect(try await tablet.client.sharing.shareable(in: "friends").id == mine.id)
    }

    @Test("Changes of another process on the same file are reported, and its later ones too") func otherProcess()
        async throws
    {
        let folder = TemporaryFolder()
        let here = try Phone(server, file: folder.replica)
        let there = try Phone(server, file: folder.replica, seed: 2, credentials: here.credentials)
        var observed = here.client.observedChanges(every: .milliseconds(1)).makeAsyncIterator()
        for _ in 0..<7 { _ = try await observed.next(isolation: #isolation) }
        let mine = try await there.client.sharing.shareable(in: "friends")
        let made = try #require(try await observed.next(isolation: #isolation))
        #expect(made.isFromElsewhere && made.announcement?.sharing?.shareables.added == [mine])
        let own = try await here.client.sharing.share(mine.id, by: .sheet)
        let shared = try #require(try await observed.next(isolation: #isolation))
        #expect(!shared.isFromElsewhere && shared.announcement?.sharing?.shares.added == [own])
        try await there.client.sharing.remove(mine.id)
        let removed = try #require(try await observed.next(isolation: #isolation))
        #expect(removed.isFromElsewhere && removed.announcement?.sharing?.shareables.removed == [mine])
        #expect(removed.announcement?.sharing?.shares.isEmpty == true)
    }

    @Test("Changes are posted to the notification centre") func notification() async throws {
        let heard = Kept<[SharingChanges]>([])
        let token = NotificationCenter.default.addObserver(forName: .kithSharingChanged, object: nil, queue: nil) {
            note in
            if let changes = note.userInfo?["changed"] as? SharingChanges { heard.change { $0.append(changes) } }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let phone = try Phone(server, seed: 4_713, postsNotifications: true)
        let mine = try await phone.client.sharing.shareable(in: "friends")
        // The centre is everybody's: what other clients post is not looked at.
        let own = heard.value.filter { $0.shareables.added.contains { $0.id == mine.id } }
        #expect(own.map(\.shareables.added) == [[mine]] && own.map(\.origin) == [.device])
    }
}

/// What an observer has heard of so far.
private struct SharedSoFar {
    private(set) var counts = [0, 0, 0, 0, 0]
    private(set) var isPopulated = false

    mutating func take(_ changes: SharingChanges) {
        let added = [
            changes.shareables.added.count, changes.shares.added.count, changes.claims.added.count,
            changes.referrals.added.count, changes.rewards.added.count,
        ]
        counts = zip(counts, added).map { $0 + $1 }
        isPopulated = isPopulated || changes.isPopulated
    }
}
