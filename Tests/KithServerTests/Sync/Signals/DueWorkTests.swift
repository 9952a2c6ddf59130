import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Work that is due") struct DueWorkTests {
    /// Numbers that wait to be processed, one in each step.
    private final class Numbers: Sendable {
        private let waiting: Mutex<[Int]>
        let done = Mutex<[Int]>([])
        let postponed = Mutex<[Int]>([])
        /// What each step leaves for this job, and for another.
        static let (own, other) = (Signals.Topic("own"), Signals.Topic("other"))

        init(_ waiting: [Int]) { self.waiting = Mutex(waiting) }

        /// The work. The numbers in `failures` cannot be processed.
        func work(_ failures: [Int: Problem.Code] = [:]) -> DueWork<Int> {
            DueWork(
                own: [Self.own],
                isWaiting: { _ in self.waiting.withLock { !$0.isEmpty } },
                step: { _, note in
                    let number = self.waiting.withLock { $0[0] }
                    note(number)
                    if let code = failures[number] { throw ServerError(code, "\(number) cannot be processed.") }
                    self.waiting.withLock { $0 = Array($0.dropFirst()) }
                    self.done.withLock { $0.append(number) }
                    return Signals(topics: number < 10 ? [Self.own] : [Self.own, Self.other])
                },
                postpone: { number, _ in
                    self.waiting.withLock { $0 = Array($0.dropFirst()) }
                    self.postponed.withLock { $0.append(number) }
                })
        }

        var doneNumbers: [Int] { done.withLock { $0 } }
        var postponedNumbers: [Int] { postponed.withLock { $0 } }
    }

    private let database: SQLiteDatabase

    init() throws { database = try SQLiteDatabase.inMemory() }

    @Test("Failed steps are postponed, the others are done, and the last error is thrown") func failures() async throws
    {
        let numbers = Numbers([1, 2, 3, 4])
        let afterStep = Mutex(0)
        let error = await errorCode {
            try await numbers.work([2: .malformed, 3: .forbidden]).finish(in: database, .none) {
                afterStep.withLock { $0 += 1 }
            }
        }
        #expect(error == .forbidden)
        #expect(numbers.doneNumbers == [1, 4] && numbers.postponedNumbers == [2, 3])
        #expect(afterStep.withLock { $0 } == 2)
    }

    @Test("If the database is busy, the work ends at once") func busy() async throws {
        let numbers = Numbers([1, 2, 3])
        let error = await errorCode { try await numbers.work([2: .busy]).finish(in: database, .none) {} }
        #expect(error == .busy)
        #expect(numbers.doneNumbers == [1] && numbers.postponedNumbers.isEmpty)
    }

    @Test("If it is not known which step has failed, the work ends") func unknownStep() async throws {
        let numbers = Numbers([1])
        let work = DueWork<Int>(
            own: [], isWaiting: { _ in true }, step: { _, _ in throw ServerError(.malformed, "Nothing can be read.") },
            postpone: { number, _ in numbers.postponed.withLock { $0.append(number) } })
        #expect(await errorCode { try await work.finish(in: database, .none) {} } == .malformed)
        #expect(numbers.postponedNumbers.isEmpty)
    }

    @Test("The signals of a step do not wake the job that does it, but other jobs") func signals() async throws {
        let sent = Mutex<[Signals]>([])
        let sender = SignalSender { signals, _ in sent.withLock { $0.append(signals) } }
        let numbers = Numbers([1, 2, 10])
        try await numbers.work().finish(in: database, sender) {}
        #expect(numbers.doneNumbers == [1, 2, 10])
        #expect(sent.withLock { $0 } == [Signals(topics: [Numbers.other])])
    }

    @Test("Without waiting, it does the same until the first error") func immediately() throws {
        let numbers = Numbers([1, 2])
        #expect(try numbers.work().finishNow(in: database) == Signals())
        #expect(numbers.doneNumbers == [1, 2])
        let others = Numbers([3, 4])
        #expect(throws: ServerError.self) { try others.work([4: .malformed]).finishNow(in: database) }
        #expect(others.doneNumbers == [3] && others.postponedNumbers.isEmpty)
    }
}
