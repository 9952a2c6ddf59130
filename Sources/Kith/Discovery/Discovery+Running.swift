import GRDB
package import KithModel
import Synchronization

/// The shell around ``DiscoveryMachine``: does what it decides, and tells it what happened.
extension Discovery {
    /// Shows the matches of the current account in the address book from here on, whichever account that is. Those that are
    /// there already are in the address book's first answer.
    func begin() async {
        _ = try? await notedMatches()
        let states = observed()
        let task = Task { [weak self] in
            for await _ in states {
                await self?.showFound()
                self?.note(.tick)
            }
        }
        state.withLock { $0.showing = task }
    }

    /// Shows in the address book whom the current account has found.
    private func showFound() async {
        if (try? await notedMatches()) == false { await addressBook.arranged() }
    }

    /// Hands the current account's matches to the address book.
    ///
    /// - Returns: Whether the address book shows them already.
    private func notedMatches() async throws -> Bool {
        // Between two writes: what is written after this is noted after it.
        try await replica.between { [addressBook] db, current in
            addressBook.noteMatches(try LookupRows(db: db, account: current.key).matches().accounts)
        }
    }

    /// Shows in the address book whose identities are to an account, if that is the current one.
    package func show(_ accounts: [Identity: AccountID], of account: ReplicaAccount.Mark) async {
        let isShown = try? await replica.between { [addressBook] _, current in
            current.mark != account || addressBook.noteMatches(accounts)
        }
        if isShown == false { await addressBook.arranged() }
    }

    /// What an account has found.
    struct Found: Hashable, Sendable {
        let account: ReplicaAccount.Mark
        let matches: [Match]
    }

    /// The matches of the current account, now and after each change.
    func observed() -> AsyncStream<Found> {
        let (database, replica) = (replica.database, replica)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    // Drops repeats: on Linux the first value can come twice.
                    let observation = ValueObservation.tracking { db in
                        let account = try replica.account(db).mark
                        return Found(account: account, matches: try LookupRows(db: db, account: account.key).matches())
                    }.removeDuplicates()
                    for try await value in observation.values(in: database, bufferingPolicy: .bufferingNewest(1)) {
                        continuation.yield(value)
                    }
                } catch {}
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Something has happened that the machine should know.
    func note(_ event: DiscoveryMachine.Event) {
        _ = state.withLock(\.inbox)?.yield(event)
    }

    /// Looks when it is time to, until the calling task is cancelled.
    func run() async {
        let (events, inbox) = AsyncStream<DiscoveryMachine.Event>.makeStream(bufferingPolicy: .bufferingNewest(100))
        state.withLock { $0.inbox = inbox }
        defer { state.withLock { $0.inbox = nil } }
        var machine = DiscoveryMachine()
        var timer: Task<Void, Never>?
        var listening: Task<Void, Never>?
        inbox.yield(.start)
        for await event in events {
            var next: DiscoveryMachine.Event? = event
            while let event = next, !Task.isCancelled {
                next = nil
                timer?.cancel()
                let situation = await situation()
                if situation.isEnabled, listening == nil { listening = listen(inbox) }
                switch machine.handle(event, in: situation) {
                case .look: next = await outcome()
                case .wait(let until): timer = wake(at: until, inbox)
                case .rest: break
                }
            }
        }
        timer?.cancel()
        listening?.cancel()
    }

    private func situation() async -> DiscoveryMachine.Situation {
        let now = replica.surroundings.now()
        let known = try? await replica.read { try LookupRows(db: $0, account: $1.key).situation(at: now) }
        return known ?? DiscoveryMachine.Situation(now: now, isEnabled: false)
    }

    private func outcome() async -> DiscoveryMachine.Event {
        let before = try? await replica.read { $1 }
        do {
            try await lookAgain()
            return .ended
        } catch is CancellationError {
            return .failed
        } catch {
            let retryAfter = (error as? KithError)?.retryAfter
            let now = replica.surroundings.now()
            // If that fails too, or another account is the current one by now, the machine waits blindly.
            try? await replica.write { transaction in
                guard transaction.account.device == before?.device else { return }
                var schedule = try transaction.lookups.situation(at: now).schedule
                var random = transaction.surroundings.random
                schedule.fail(at: now, retryAfter: retryAfter, using: &random)
                try transaction.lookups.save(schedule)
            }
            return .failed
        }
    }

    /// Hears of every change of the address book by which somebody else is to be looked for.
    private func listen(_ inbox: AsyncStream<DiscoveryMachine.Event>.Continuation) -> Task<Void, Never> {
        let addressBook = addressBook
        return Task {
            var known: Set<Identity>?
            while !Task.isCancelled {
                // Who falls behind is ended, and begins anew.
                for await changed in addressBook.changes() {
                    guard let identities = try? await addressBook.identities() else { continue }
                    let isOther = known.map { $0 != identities } ?? (changed.origin != .state)
                    known = identities
                    if isOther { inbox.yield(.bookChanged) }
                }
            }
        }
    }

    private func wake(
        at time: Timestamp, _ inbox: AsyncStream<DiscoveryMachine.Event>.Continuation
    ) -> Task<Void, Never> {
        let pause = max(.zero, time - replica.surroundings.now())
        let sleep = replica.surroundings.pause
        return Task {
            do {
                try await sleep(pause)
                inbox.yield(.tick)
            } catch {}
        }
    }
}
