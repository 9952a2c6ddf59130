import KithModel
import KithServer
import Synchronization
import Testing

/// The answer to a commit can be lost: nobody knows whether the commit was made. A push finds out by its numbers.
@Suite("A push whose commit had no answer") struct LostCommitTests {
    let town: Town
    var ada: Phone
    let list: FeedID
    /// The records that the list has beside its items: itself, and its owner as a member.
    private let others = 2

    init() throws { (town, ada, list) = try Town.withList() }

    private func service(
        _ told: SignalSender = .none, _ loss: @escaping @Sendable (Int) -> LossyDatabase.Loss?
    ) -> SyncService {
        SyncService(database: LossyDatabase(town.database, loss), signals: told)
    }

    @Test(
        "Law 2: reads its numbers again and goes on: it is applied once, and others receive it",
        arguments: [LossyDatabase.Loss.made, .undone])
    mutating func goesOn(loss: LossyDatabase.Loss) async throws {
        let request = ada.request([ada.item(town.id(), in: list), ada.item(town.id(), in: town.id())])
        let before = try #require(try town.row(list)?.sequence)
        let told = Mutex<[Signals]>([])
        let sender = SignalSender { signals, _ in told.withLock { $0.append(signals) } }
        let synced = try await service(sender) { $0 == 1 ? loss : nil }
            .sync(request, as: ada.account, at: town.now, through: AtOnce())
        #expect(synced.answer.device == .recognised)
        #expect(synced.answer.acknowledged.number == request.mutations.last?.number)
        #expect(synced.answer.outcomes.map(\.number) == [try #require(request.mutations.last).number])
        #expect(try town.row(list)?.sequence == before + 1)
        #expect(synced.signals.moved.contains(list) && told.withLock { $0 } == [synced.signals])
        ada.apply(synced.answer)
        #expect(ada.replica[list]?.count == 1 + others)
    }

    @Test("that is lost again is busy; others receive what was taken, and the same request then succeeds")
    mutating func lostTwice() async throws {
        let request = ada.request([ada.item(town.id(), in: list)])
        let told = Mutex<[Set<FeedID>]>([])
        let sender = SignalSender { signals, _ in told.withLock { $0.append(signals.moved) } }
        let error = await #expect(throws: ServerError.self) {
            _ = try await service(sender) { _ in .made }.sync(request, as: ada.account, at: town.now, through: AtOnce())
        }
        #expect(error?.code == .busy && error?.cause is UnknownOutcome)
        #expect(told.withLock { $0 } == [[list]])
        let again = try await service { _ in nil }.sync(request, as: ada.account, at: town.now, through: AtOnce())
        #expect(again.answer.acknowledged.number == request.mutations.last?.number && again.answer.outcomes.isEmpty)
        ada.apply(again.answer)
        #expect(ada.replica[list]?.count == 1 + others)
    }

    @Test("that was one part of a large push goes on with the next part", arguments: 1...3)
    mutating func part(lost: Int) async throws {
        let request = ada.request((0..<250).map { _ in ada.item(town.id(), in: list) })
        let synced = try await service { $0 == lost ? .made : nil }
            .sync(request, as: ada.account, at: town.now, through: AtOnce())
        #expect(synced.answer.acknowledged.number == request.mutations.last?.number)
        #expect(synced.signals.moved == [list])
        ada.apply(synced.answer)
        #expect(ada.replica[list]?.count == 250 + others)
    }

    @Test(
        "Another operation tells others what it may have changed: a closed session hears nothing more",
        arguments: LossyDatabase.Loss.all)
    func closedSession(loss: LossyDatabase.Loss) async throws {
        let told = Mutex<[Signals]>([])
        let sender = SignalSender { signals, _ in told.withLock { $0.append(signals) } }
        let session = try await town.sessions.open(at: town.now)
        let id = SessionID(token: session.token)
        let sessions = SessionService(database: LossyDatabase(town.database) { _ in loss }, signals: sender)
        #expect(await errorCode { try await sessions.close(id, of: session.account) } == .busy)
        #expect(told.withLock { $0.map(\.closedSessions) } == [[id]])
    }

    @Test("Every other operation answers 503 with a sentence, and can be sent again") func otherOperations()
        async throws
    {
        let database = BrokenDatabase(error: UnknownOutcome("the connection has ended").serverError)
        try await TestServer.run(database: database) { server in
            let reply = try await server.ask("POST", "/v1/sessions")
            let problem: Problem = try reply.decoded()
            #expect(reply.status == 503 && reply.head["retry-after"] == "1")
            #expect(
                problem.detail == "The database's answer was lost. The change may have been made; send it again.")
        }
    }
}

/// A database that loses the answers to some commits. The first write is number 1.
final class LossyDatabase: DatabaseDouble {
    /// What became of the commit.
    enum Loss {
        case made, undone

        static let all = [Loss.made, .undone]
    }

    private struct Undone: Error {}

    let database: any Database
    private let loss: @Sendable (Int) -> Loss?
    private let count = Mutex(0)

    init(_ database: any Database, _ loss: @escaping @Sendable (Int) -> Loss?) {
        (self.database, self.loss) = (database, loss)
    }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        let number = count.withLock { count in
            count += 1
            return count
        }
        switch loss(number) {
        case nil: return try await database.write { try work.run(in: $0) }
        case .made: try await database.write { try work.run(in: $0) }
        case .undone:
            do {
                try await database.write { transaction in
                    try work.run(in: transaction)
                    throw Undone()
                }
            } catch is Undone {}
        }
        throw UnknownOutcome("the connection has ended").serverError
    }
}
