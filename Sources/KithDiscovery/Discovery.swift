public import Kith
import KithAddressBook
public import KithModel
import Synchronization

/// Finds which contacts of the address book use the service. The server does not learn the other numbers and emails.
///
/// ```swift
/// let summary = try await client.discovery.look()
/// for contact in client.addressBook.contacts ?? [] where contact.isOnService { print(contact.displayName) }
/// ```
///
/// Each number and each email leaves the device blinded, so that the server cannot read it. The device compares the
/// answers. Results are stored, and the server is asked only about new numbers and emails. After ``setEnabled(_:)``,
/// `KithClient.run()` looks automatically: when the address book changes, and once a day for people who have joined.
///
/// Results belong to the current account. Another account on this device has its own results.
public final class Discovery: RunningPart {
    struct State {
        /// Receives events while ``run()`` runs.
        var inbox: EventInbox<DiscoveryMachine.Event>?
        /// The known lookups at the end of the last look.
        var memory: LookupMemory?
    }

    let engine: SyncEngine
    let addressBook: AddressBook
    let prf: (any ObliviousPRF)?
    let state = Mutex(State())
    /// Allows one look at a time.
    let lock = AsyncLock()

    init(engine: SyncEngine, addressBook: AddressBook, prf: (any ObliviousPRF)?) {
        (self.engine, self.addressBook, self.prf) = (engine, addressBook, prf)
    }

    var replica: Replica { engine.replica }

    // MARK: Looking

    /// Looks for all new numbers and emails in the address book, and for changes of the others.
    ///
    /// The results before a failure are kept, and the next look continues from there. While a source of the address book
    /// cannot be read, nothing that is known is forgotten.
    ///
    /// A first look at a large address book reads less from a large service if it connects: a few megabytes, rather than
    /// ten or more.
    ///
    /// - Parameters:
    ///   - connecting: Whether to connect with everybody who is found, as each look does after
    ///     ``setConnectsAutomatically(_:)``.
    ///   - progress: Called after each batch of new numbers and emails.
    /// - Returns: The matches, and the differences from the previous look.
    /// - Throws: `KithError`: `quotaExceeded` if the daily quota is used up, with the time until the next; `offline`,
    ///   `busy`, `unauthorized`, `noServer`; `unsupported` if there is no oblivious function; the error of the address
    ///   book if it cannot be read.
    @discardableResult
    public func look(
        connecting: Bool = false, _ progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws -> Summary {
        try await lookInTurn(.addressBook, connecting: connecting ? .always : .asIsSet, progress)
    }

    /// Whether a look is due: there are new numbers or emails, or the last look is older than a day.
    public func isDue() async throws -> Bool {
        let now = replica.dependencies.now()
        let (account, situation) = try await replica.read {
            ($0.account, try LookupRows($0.store).situation(at: now))
        }
        guard let looked = situation.looked, looked <= now, now < looked + DiscoveryMachine.age else { return true }
        return try await hasNew(account)
    }

    /// Whether the address book has numbers or emails for which an account has never looked.
    private func hasNew(_ account: ReplicaAccount) async throws -> Bool {
        try await !addressBook.identities().isSubset(of: memory(of: account).known.identities)
    }

    /// Looks for these numbers and emails. They need not be in the address book.
    ///
    /// They can be in any spelling; numbers are parsed as dialled in the address book's region. Other texts are
    /// ignored. The results are stored for a day.
    ///
    /// - Parameter values: Numbers and emails.
    /// - Returns: The matches, in the order of `values`.
    /// - Throws: The errors of ``look(connecting:_:)``.
    public func look(for values: [String]) async throws -> [Match] {
        var seen: Set<Identity> = []
        let identities = values.compactMap { addressBook.identity($0) }.filter { seen.insert($0).inserted }
        let summary = try await lookInTurn(.identities(identities), connecting: .asIsSet) { _ in }
        let matches = summary.matches.byIdentity
        return identities.compactMap { matches[$0] }
    }

    /// Looks, and connects with the people found. One look runs at a time.
    private func lookInTurn(
        _ scope: DiscoveryLook.Scope, connecting: DiscoveryLook.Connecting,
        _ progress: @escaping @Sendable (Progress) -> Void
    ) async throws -> Summary {
        try await lock.withLock {
            let session = try await engine.requests.session()
            // Only the account's own server is asked.
            return try await engine.requests.send(in: session) { _ in
                do {
                    return try await lookOnce(scope, connecting: connecting, in: session, progress)
                } catch let error as KithError where error.isAboutKey {
                    // A key has ended or buckets have grown since the server described its keys. Try once more.
                    return try await lookOnce(scope, connecting: connecting, in: session, progress)
                }
            }
        }
    }

    private func lookOnce(
        _ scope: DiscoveryLook.Scope, connecting: DiscoveryLook.Connecting, in session: CurrentSession,
        _ progress: @escaping @Sendable (Progress) -> Void
    ) async throws -> Summary {
        var look = try await DiscoveryLook(scope, connecting: connecting, in: session, of: self, progress)
        try await look.run()
        await addressBook.show(look.memory.known.accounts, of: session.account.mark, in: replica)
        keep(look.memory)
        if try await look.connects() { try await connectWithAll(for: session.account.mark) }
        if let shortage = look.shortage { throw shortage }
        return look.summary
    }

    /// The stored matches, sorted by number and email.
    public func matches() async throws -> [Match] {
        try await replica.read { try Match.fetchAll(in: $0.store) }
    }

    /// Changes of the matches: first the current ones (origin `state`), then each difference once.
    ///
    /// The stream ends if its listener is `KithClient.unreadChanges` changes behind, or if the replica cannot be read. To go
    /// on, call `changes()` again.
    public func changes() -> AsyncStream<Changed<Match>> {
        let states = replica.foundMatches()
        return AsyncStream(keeping: .bufferingOldest(KithClient.unreadChanges)) { stream in
            var before: [Match]?
            for await observed in states {
                let origin: ChangeOrigin = before == nil ? .state : .server
                let changed = Changed(from: before ?? [], to: observed.matches, origin: origin)
                if before == nil || !changed.isEmpty {
                    if case .dropped = stream.yield(changed) { return }
                }
                before = observed.matches
            }
        }
    }

    // MARK: Settings

    /// The state of discovery for the current account.
    public func status() async throws -> Status {
        try await replica.read { try LookupRows($0.store).status() }
    }

    /// Sets whether `KithClient.run()` looks automatically. The setting is stored. It is initially off.
    public func setEnabled(_ isEnabled: Bool) async throws {
        try await replica.write { try $0.lookups.set(.isEnabled, isEnabled) }
        post(.compared)
    }

    /// Sets whether each look connects with everybody it finds. The setting is stored. It is initially off.
    ///
    /// This includes people that an earlier look has found. People with a contact record are skipped unless they have
    /// sent a request: nobody is asked twice, or after being removed or blocked.
    public func setConnectsAutomatically(_ connects: Bool) async throws {
        try await replica.write { try $0.lookups.set(.connects, connects) }
    }

    // MARK: The loop

    /// Runs looks when they are due, until the calling task is cancelled. Only one may run at a time, as `KithClient.run()`
    /// ensures.
    package func run() async {
        let loop = DiscoveryLoop(replica: replica, addressBook: addressBook) {
            try await self.hasNew(self.replica.read { $0.account })
        } look: {
            _ = try await self.look()
        }
        state.withLock { $0.inbox = loop.inbox }
        defer { state.withLock { $0.inbox = nil } }
        await loop.run()
    }

    /// Sends an event to the machine, if ``run()`` is running.
    private func post(_ event: DiscoveryMachine.Event) {
        state.withLock(\.inbox)?.put(event)
    }
}

extension ReplicaTransaction {
    var lookups: LookupRows { LookupRows(store) }
}

/// Connects with the people behind matches.
extension Discovery {
    /// Sends a contact request to each of the people found, or accepts their request. Skips the account itself, and
    /// everybody who was already asked, declined or blocked.
    ///
    /// - Parameters:
    ///   - matches: The people.
    ///   - expected: The account that has found them; nil for the current one. Another process can make another account the
    ///     current one while the app shows them.
    /// - Throws: `KithError`: `full` if the account has no room for more people; `refused` if another account is the current
    ///   one, or becomes it meanwhile. Requests that were sent before the error stay.
    public func connect(with matches: [Match], expecting expected: AccountID? = nil) async throws {
        let account = try await replica.read { $0.account.mark }
        if let expected, account.id != expected { throw KithError.otherAccount }
        try await connect(with: matches, for: account)
    }

    /// The same for the account that has found the people. Throws if another account is the current one.
    package func connect(with matches: [Match], for account: ReplicaAccount.Mark) async throws {
        for found in Set(matches.map(\.account)).sorted() {
            try await replica.write { transaction in
                try transaction.account.check(account)
                try Changes(transaction, isGroup: false).connectOnceFound(found)
            }
            engine.post(.edited)
        }
    }

    /// Sends requests to the found people without a contact record, and accepts the requests of others.
    ///
    /// Considers all known matches, not only those of the last look. Nobody is left out because a look was interrupted,
    /// and nobody who was removed is asked again.
    func connectWithAll(for account: ReplicaAccount.Mark) async throws {
        if try await unconnected(account).isEmpty { return }
        // Another device of the account may have blocked or removed them meanwhile.
        try await engine.syncNow()
        do {
            try await connect(with: unconnected(account), for: account)
        } catch KithError.Code.full {
            // Not a failure of the look: the people are found, even if the account could not connect with them.
        }
    }

    private func unconnected(_ account: ReplicaAccount.Mark) async throws -> [Match] {
        try await replica.read { reading in
            try reading.account.check(account)
            return try Match.fetchAll(in: reading.store).filter { match in
                try match.account != account.id
                    && NetworkContact.fetch(match.account, in: reading.store).map(\.asksMe) ?? true
            }
        }
    }
}

extension KithError {
    /// Whether the server has changed since it described its keys: a key has ended, or buckets are larger.
    fileprivate var isAboutKey: Bool {
        let code = (cause as? Problem)?.code
        return code == .keyExpired || code == .conflict
    }
}
