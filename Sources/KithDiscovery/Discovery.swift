import GRDB
public import Kith
import KithAddressBook
import KithModel
import Synchronization

/// Who of the address book is on the service, found out without telling the server who the others are.
///
/// ```swift
/// let summary = try await client.discovery.lookAgain()
/// for contact in client.addressBook.contacts ?? [] where contact.isOnService { print(contact.displayName) }
/// ```
///
/// Each number and each email leaves this device only blinded, so that the server cannot tell what it is; what it answers
/// is compared here. What is known is kept, and only what is new is asked. With ``setEnabled(_:)`` ``KithClient/run()``
/// looks by itself: when the address book changes, and once a day for those who join.
///
/// What is found belongs to the current account: another one on this device has to look itself.
public final class Discovery: RunningPart {
    struct State {
        /// Where events go while ``run()`` runs.
        var inbox: AsyncStream<DiscoveryMachine.Event>.Continuation?
        /// What the last look knew at its end.
        var memory: LookupMemory?
    }

    let engine: SyncEngine
    let addressBook: AddressBook
    let prf: (any ObliviousPRF)?
    let state = Mutex(State())
    /// One look at a time.
    let turn = AsyncLock()

    init(engine: SyncEngine, addressBook: AddressBook, prf: (any ObliviousPRF)?) {
        (self.engine, self.addressBook, self.prf) = (engine, addressBook, prf)
    }

    var replica: Replica { engine.replica }

    // MARK: Looking

    /// Looks for everybody in the address book who is not known yet, and for what has changed of the others.
    ///
    /// What was found before a failure is kept, and the next look goes on there.
    ///
    /// - Parameter progress: Called after each batch of new numbers and emails.
    /// - Returns: Who is on the service.
    /// - Throws: ``KithError``: `quotaExceeded` if the day has not enough left, with the time of the next;
    ///   `offline`, `busy`, `unauthorized`, `noServer`; `unsupported`; `full` if no more people can be connected with by
    ///   themselves (``setConnectsAutomatically(_:)``); whatever the address book says if it cannot be read.
    @discardableResult
    public func lookAgain(_ progress: @escaping @Sendable (Progress) -> Void = { _ in }) async throws -> Summary {
        try await look(progress) { [addressBook] handedIn in
            try await addressBook.identities().union(handedIn)
        }
    }

    /// Whether there is something to look for: somebody who is not known yet, or what is known is older than a day.
    public func isDue() async throws -> Bool {
        let now = replica.dependencies.now()
        let (account, situation) = try await replica.read { db, account in
            (account, try LookupRows(db: db, account: account.key).situation(at: now))
        }
        guard let looked = situation.looked, looked <= now, now < looked + DiscoveryMachine.age else { return true }
        return try await !addressBook.identities().isSubset(of: memory(of: account).known.identities)
    }

    /// Looks for these numbers and emails, wherever they are from.
    ///
    /// They are read as people write them, numbers as dialled in the address book's region; what is neither is left
    /// out. What is found of them is known for a day, besides what is found of the address book.
    ///
    /// - Parameter values: Numbers and emails.
    /// - Returns: Those that are on the service, in the order in which they were given.
    /// - Throws: ``KithError``, as ``lookAgain(_:)``.
    public func look(for values: [String]) async throws -> [Match] {
        var seen: Set<Identity> = []
        let identities = values.compactMap { addressBook.identity($0) }.filter { seen.insert($0).inserted }
        let summary = try await look(handingIn: identities, { _ in }) { _ in nil }
        let matches = Dictionary(summary.matches.map { ($0.identity, $0) }) { first, _ in first }
        return identities.compactMap { matches[$0] }
    }

    /// Who is on the service, by number and email, as far as it is known.
    public func matches() async throws -> [Match] {
        try await replica.read { try Match.fetchAll($0, $1.key) }
    }

    /// Changes of the matches: first what there is (origin `state`), then each difference once.
    public func changes() -> AsyncStream<Changed<Match>> {
        let states = replica.foundMatches()
        return AsyncStream { continuation in
            let task = Task {
                var before: [Identity: Match]?
                for await observed in states {
                    let after = Dictionary(observed.matches.map { ($0.identity, $0) }) { first, _ in first }
                    var changed = Changed<Match>(origin: before == nil ? .state : .server)
                    for identity in Set(after.keys).union((before ?? [:]).keys).sorted() {
                        changed.note(before?[identity], after[identity])
                    }
                    if before == nil || !changed.isEmpty { continuation.yield(changed) }
                    before = after
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    // MARK: Settings

    /// How discovery stands for the current account.
    public func status() async throws -> Status {
        try await replica.read { try LookupRows(db: $0, account: $1.key).status() }
    }

    /// Whether ``KithClient/run()`` looks by itself. It is kept; until somebody says so, it does not.
    public func setEnabled(_ isEnabled: Bool) async throws {
        try await replica.write { try $0.lookups.set(.isEnabled, isEnabled) }
        note(.tick)
    }

    /// Whether whoever is found is connected with by itself. It is kept; until somebody says so, nobody is.
    ///
    /// It is done at the end of each look, also for those whom an earlier one has found. Who is in the network's records
    /// already is left alone, whatever became of it: nobody is asked again who was removed, and nobody who is blocked.
    public func setConnectsAutomatically(_ connects: Bool) async throws {
        try await replica.write { try $0.lookups.set(.connects, connects) }
    }
}

extension ReplicaTransaction {
    var lookups: LookupRows { LookupRows(db: db, account: account.key) }
}
