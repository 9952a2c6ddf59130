import GRDB
import Kith
import KithAddressBook
import KithModel
import Synchronization

/// The shell around ``DiscoveryMachine``: does what it decides, and tells it what happened.
extension Discovery {
    /// Something has happened that the machine should know.
    func note(_ event: DiscoveryMachine.Event) {
        _ = state.withLock(\.inbox)?.yield(event)
    }

    /// Looks when it is time to, until the calling task is cancelled.
    package func run() async {
        let (events, inbox) = AsyncStream<DiscoveryMachine.Event>.makeStream(bufferingPolicy: .bufferingNewest(100))
        state.withLock { $0.inbox = inbox }
        defer { state.withLock { $0.inbox = nil } }
        var machine = DiscoveryMachine()
        var timer: Task<Void, Never>?
        var listening: Task<Void, Never>?
        let found = replica.foundMatches()
        let finding = Task { for await _ in found { inbox.yield(.tick) } }
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
        finding.cancel()
        timer?.cancel()
        listening?.cancel()
    }

    private func situation() async -> DiscoveryMachine.Situation {
        let now = replica.dependencies.now()
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
            let now = replica.dependencies.now()
            // If that fails too, or another account is the current one by now, the machine waits blindly.
            try? await replica.write { transaction in
                guard transaction.account.device == before?.device else { return }
                var schedule = try transaction.lookups.situation(at: now).schedule
                var random = transaction.dependencies.random
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
        let pause = max(.zero, time - replica.dependencies.now())
        let sleep = replica.dependencies.pause
        return Task {
            do {
                try await sleep(pause)
                inbox.yield(.tick)
            } catch {}
        }
    }
}
