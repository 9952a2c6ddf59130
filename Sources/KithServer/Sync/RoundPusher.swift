import KithModel
import Synchronization

/// Takes the mutations of rounds, all at once or part by part.
package struct RoundPusher: Sendable {
    /// The maximum number of mutations of a large push in one transaction. It limits the time that others wait for the
    /// only writer. A group is never split.
    package static let part = 100

    let database: any Database
    /// Sends the signals of commits whose round fails.
    let signals: SignalSender
    /// Reads answers on the connection that has written.
    let answers: AnswerReader
    /// The maximum number of mutations of a large push in one transaction.
    let part: Int

    /// Takes the mutations part by part. If a part fails, the earlier parts stay taken, and their signals are sent.
    func pushInParts(_ round: SyncRound) async throws -> PushResult {
        let hashes = round.request.mutations.map(\.hash)
        var parts = RequestParts(round)
        var signalled = Signals()
        do {
            while true {
                let rest = parts.rest
                var (pushed, _) = try await push(
                    rest, hashes: Array(hashes.suffix(rest.request.mutations.count)), atMost: part,
                    after: parts.named)
                signalled.formUnion(pushed.signals)
                if pushed.standing != .recognised && !parts.areUntouched {
                    // Nothing was taken. A copy of the device learns what was taken of every part.
                    (pushed, _) = try await push(round, hashes: hashes, atMost: part, after: NamedRecords())
                    signalled.formUnion(pushed.signals)
                }
                if var all = parts.take(pushed) {
                    all.signals = signalled
                    return all
                }
            }
        } catch {
            await signals.send(signalled, by: round.device)
            throw error
        }
    }

    /// Takes mutations: at most `part` of the new ones. If `answering` is true, it then reads the answer, which must be
    /// small. The `hashes` of the mutations are computed before the transaction, because others may wait for it.
    ///
    /// If the answer to the commit is lost, the push runs once more. The second run locks the device's row, which
    /// PostgreSQL logs like a write, so its commit also proves that the first one is durable.
    ///
    /// - Returns: The result, and the answer or why it cannot be read; no answer if it is to be read elsewhere.
    func push(
        _ round: SyncRound, hashes: [String], atMost part: Int = .max, after earlier: NamedRecords?,
        answering: Bool = false
    ) async throws -> (PushResult, Result<Synced?, any Error>?) {
        let turn = database.hasSeveralWriters ? round.turn : nil
        // The signals of the last run, which the next run does not have if it finds the numbers taken.
        let ofLastRun = Mutex(Signals())
        let take: @Sendable (any Transaction) throws -> PushResult = { transaction in
            let pushed = try round.push(hashes: hashes, atMost: part, after: earlier, in: transaction)
            ofLastRun.withLock { $0 = pushed.signals }
            return pushed
        }
        func run() async throws -> (PushResult, Result<Synced?, any Error>?) {
            guard answering else { return (try await database.write(inTurn: turn, take), nil) }
            let (pushed, answer) = try await database.write(inTurn: turn, take) { [answers] pushed, transaction in
                try answers.readAfterWriting(round, after: pushed, in: transaction)
            }
            return (pushed, answer)
        }
        do {
            return try await run()
        } catch let error as ServerError where error.cause is UnknownOutcome {
            let doubtful = ofLastRun.withLock { $0 }
            do {
                var (pushed, answer) = try await run()
                pushed.signals.formUnion(doubtful)
                return (pushed, answer)
            } catch {
                // If the first commit was made, a repeated request takes no mutations, so it sends no signals.
                await signals.send(doubtful, by: round.device)
                throw error
            }
        }
    }
}
