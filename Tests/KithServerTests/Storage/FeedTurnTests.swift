import KithModel
import KithServer
import Synchronization
import Testing

@Suite("The turn for which a push waits") struct FeedTurnTests {
    /// A database that notes the turns of its writes.
    private final class Noting: DatabaseDouble {
        let database: any Database
        let hasSeveralWriters: Bool
        private let noted = Mutex<[FeedTurn?]>([])

        init(_ database: any Database, hasSeveralWriters: Bool = true) {
            (self.database, self.hasSeveralWriters) = (database, hasSeveralWriters)
        }

        var turns: [FeedTurn?] { noted.withLock(\.self) }

        func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
            noted.withLock { $0.append(turn) }
            try await database.write { try work.run(in: $0) }
        }
    }

    @Test("is that of its only list, and names the device if nothing else is locked before or like a feed")
    func turns() async throws {
        let (town, host, list) = try Town.withList()
        var ada = host
        let other: FeedID = town.id()
        try ada.sync(ada.create(other))
        let ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        let noting = Noting(town.database)
        let service = SyncService(database: noting)
        let (shared, single) = (
            FeedTurn(of: list, for: FeedTurn.Device(ada.device, of: ada.account)), FeedTurn(of: list, for: nil)
        )
        func item(_ list: FeedID) -> Mutation { ada.item(town.id(), in: list) }
        let pushes: [([Mutation], FeedTurn?)] = [
            ([item(list)], shared),
            ([item(list), item(list)], shared),
            ([ada.role(.viewer, of: ben.account, in: list)], single),
            ([item(list), ada.profile(["given": "Ada"])], single),
            ([item(list), item(other)], nil),
            ([ada.profile(["given": "Eve"])], nil),
        ]
        for (mutations, turn) in pushes {
            let request = ada.request(mutations)
            let answer = try await service.sync(request, as: ada.account, at: town.now).answer
            #expect(answer.outcomes.isEmpty)
            ada.apply(answer)
            #expect(noting.turns.last == .some(turn))
        }
        // The first push of a device creates its row.
        ada.device = town.id()
        ada.acknowledged = .none
        let request = ada.request([item(list)])
        _ = try await service.sync(request, as: ada.account, at: town.now)
        #expect(noting.turns.last == .some(single))
    }

    @Test("is not looked for if the database has one writer") func oneWriter() async throws {
        let (town, host, list) = try Town.withList()
        var ada = host
        let noting = Noting(town.database, hasSeveralWriters: false)
        let request = ada.request([ada.item(town.id(), in: list)])
        _ = try await SyncService(database: noting).sync(request, as: ada.account, at: town.now)
        #expect(noting.turns == [nil])
    }
}
