import Kith
import KithAddressBook
import KithModel

/// Looks when a look is due: carries out the decisions of ``DiscoveryMachine``, and reports events to it.
struct DiscoveryLoop: Sendable {
    let replica: Replica
    let addressBook: AddressBook
    /// Whether the address book has identities for which the current account has never looked.
    let hasNew: @Sendable () async throws -> Bool
    /// Looks for the identities of the address book.
    let look: @Sendable () async throws -> Void
    /// Receives the events.
    let inbox = EventInbox<DiscoveryMachine.Event>()

    /// Runs until the calling task is cancelled.
    func run() async {
        var machine = DiscoveryMachine()
        var timer: Task<Void, Never>?
        var listening: Task<Void, Never>?
        let found = replica.foundMatches()
        let finding = Task {
            var account: ReplicaAccount.Mark?
            for await found in found {
                inbox.put(account == nil || account == found.account ? .tick : .compared)
                account = found.account
            }
        }
        inbox.put(.start)
        for await _ in inbox.bell {
            var next = inbox.take()
            while let event = next, !Task.isCancelled {
                timer?.cancel()
                let situation = await situation(at: event)
                if situation.isEnabled, listening == nil { listening = listen() }
                var ended: DiscoveryMachine.Event?
                switch machine.handle(event, in: situation) {
                case .look: ended = await outcome()
                case .wait(let until): timer = replica.dependencies.wake(at: until) { inbox.put(.tick) }
                case .rest: break
                }
                next = ended ?? inbox.take()
            }
        }
        finding.cancel()
        timer?.cancel()
        listening?.cancel()
    }

    private func situation(at event: DiscoveryMachine.Event) async -> DiscoveryMachine.Situation {
        let now = replica.dependencies.now()
        let known = try? await replica.read { try LookupRows($0.store).situation(at: now) }
        guard var situation = known else { return DiscoveryMachine.Situation(now: now, isEnabled: false) }
        if event == .compared, situation.isEnabled { situation.hasNew = (try? await hasNew()) ?? false }
        return situation
    }

    private func outcome() async -> DiscoveryMachine.Event {
        let before = try? await replica.read { $0.account }
        do {
            try await look()
            return .ended
        } catch is CancellationError {
            return .failed
        } catch {
            let retryAfter = (error as? KithError)?.retryAfter
            let now = replica.dependencies.now()
            // If this fails too, or if another account is now current, the machine waits for a fixed time.
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

    /// Reports when the address book has been read for the first time, and then each change of it that changes the identities
    /// to look for.
    private func listen() -> Task<Void, Never> {
        Task {
            var known: Set<Identity>?
            while !Task.isCancelled {
                // A listener that falls behind is ended. This loop then starts a new one.
                for await _ in addressBook.changes() {
                    guard let identities = try? await addressBook.identities() else { continue }
                    if known == nil {
                        inbox.put(.compared)
                    } else if known != identities {
                        inbox.put(.bookChanged)
                    }
                    known = identities
                }
            }
        }
    }
}
