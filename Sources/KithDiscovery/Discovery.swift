import Foundation
import GRDB
public import Kith
import KithAddressBook
import KithModel
import Synchronization

/// Finds which contacts of the address book use the service. The server does not learn the other numbers and emails.
///
/// ```swift
/// let summary = try await client.discovery.lookAgain()
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
    public func lookAgain(
        connecting: Bool = false, _ progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws -> Summary {
        try await look(connecting: connecting, progress) { [addressBook] handedIn in
            try await WantedIdentities(in: addressBook, and: handedIn)
        }
    }

    /// Whether a look is due: there are new numbers or emails, or the last look is older than a day.
    public func isDue() async throws -> Bool {
        let now = replica.dependencies.now()
        let (account, situation) = try await replica.read { db, account in
            (account, try LookupRows(db: db, account: account.key).situation(at: now))
        }
        guard let looked = situation.looked, looked <= now, now < looked + DiscoveryMachine.age else { return true }
        return try await !addressBook.identities().isSubset(of: memory(of: account).known.identities)
    }

    /// Looks for these numbers and emails. They need not be in the address book.
    ///
    /// They can be in any spelling; numbers are parsed as dialled in the address book's region. Other texts are
    /// ignored. The results are stored for a day.
    ///
    /// - Parameter values: Numbers and emails.
    /// - Returns: The matches, in the order of `values`.
    /// - Throws: The errors of ``lookAgain(connecting:_:)``.
    public func look(for values: [String]) async throws -> [Match] {
        var seen: Set<Identity> = []
        let identities = values.compactMap { addressBook.identity($0) }.filter { seen.insert($0).inserted }
        let summary = try await look(handingIn: identities, { _ in }) { _ in nil }
        let matches = summary.matches.byIdentity
        return identities.compactMap { matches[$0] }
    }

    /// The stored matches, sorted by number and email.
    public func matches() async throws -> [Match] {
        try await replica.read { try Match.fetchAll($0, $1.key) }
    }

    /// Changes of the matches: first the current ones (origin `state`), then each difference once.
    public func changes() -> AsyncStream<Changed<Match>> {
        let states = replica.foundMatches()
        return AsyncStream(keeping: .unbounded) { stream in
            var before: [Match]?
            for await observed in states {
                let origin: ChangeOrigin = before == nil ? .state : .server
                let changed = Changed(from: before ?? [], to: observed.matches, origin: origin)
                if before == nil || !changed.isEmpty { stream.yield(changed) }
                before = observed.matches
            }
        }
    }

    // MARK: Settings

    /// The state of discovery for the current account.
    public func status() async throws -> Status {
        try await replica.read { try LookupRows(db: $0, account: $1.key).status() }
    }

    /// Sets whether `KithClient.run()` looks automatically. The setting is stored. It is initially off.
    public func setEnabled(_ isEnabled: Bool) async throws {
        try await replica.write { try $0.lookups.set(.isEnabled, isEnabled) }
        note(.tick)
    }

    /// Sets whether each look connects with everybody it finds. The setting is stored. It is initially off.
    ///
    /// This includes people that an earlier look has found. People with a contact record are skipped unless they have
    /// sent a request: nobody is asked twice, or after being removed or blocked.
    public func setConnectsAutomatically(_ connects: Bool) async throws {
        try await replica.write { try $0.lookups.set(.connects, connects) }
    }
}

extension ReplicaTransaction {
    var lookups: LookupRows { LookupRows(db: db, account: account.key) }
}

/// Connects with the people behind matches.
extension Discovery {
    /// Sends a contact request to each of the people found, or accepts their request. Skips the account itself, and
    /// everybody who was already asked, declined or blocked.
    ///
    /// - Throws: `KithError`: `full` if the account has no room for more people; `refused` if another account becomes
    ///   the current one meanwhile. Requests that were sent before the error stay.
    public func connect(with matches: [Match]) async throws {
        try await connect(with: matches, for: replica.read { $1.mark })
    }

    /// The same for the account that has found the people. Throws if another account is the current one.
    package func connect(with matches: [Match], for account: ReplicaAccount.Mark) async throws {
        for found in Set(matches.map(\.account)).sorted() {
            try await replica.write { transaction in
                try transaction.account.check(account)
                try Changes(transaction, isGroup: false).connectOnceFound(found)
            }
            engine.note(.edited)
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
        try await replica.read { db, current in
            try current.check(account)
            return try Match.fetchAll(db, account.key).filter { match in
                try match.account != account.id
                    && NetworkContact.fetch(db, account.key, match.account).map(\.asksMe) ?? true
            }
        }
    }
}

/// One look: the shell around ``DiscoveryPlan`` and ``BucketPlan``.
extension Discovery {
    /// How long numbers and emails that an app has passed in are included in later looks.
    private static let handedInAge = Duration.days(1)

    /// Looks for the identities that `wanted` returns, or for all known ones if it returns nil. If they are not all, the
    /// known ones stay known. `wanted` receives the identities that an app has recently passed in. Connects
    /// with everybody who is found if `connecting`, or if the account does so automatically.
    func look(
        handingIn identities: [Identity] = [], connecting: Bool = false,
        _ progress: @escaping @Sendable (Progress) -> Void,
        wanted: @escaping @Sendable ([Identity]) async throws -> WantedIdentities?
    ) async throws -> Summary {
        try await lock.withLock {
            let session = try await engine.session()
            // Only the account's own server is asked.
            return try await engine.server.speak(for: session.account) { _ in
                do {
                    return try await look(in: session, handingIn: identities, connecting, progress, wanted: wanted)
                } catch let error as KithError where error.isAboutKey {
                    // A key has ended or buckets have grown since the server described its keys. Try once more.
                    return try await look(in: session, handingIn: identities, connecting, progress, wanted: wanted)
                }
            }
        }
    }

    private func look(
        in session: CurrentSession, handingIn identities: [Identity], _ connecting: Bool,
        _ progress: @escaping @Sendable (Progress) -> Void,
        wanted: @escaping @Sendable ([Identity]) async throws -> WantedIdentities?
    ) async throws -> Summary {
        guard let prf else {
            throw KithError(.unsupported, "Hand in an oblivious function in KithConfiguration: this system has none.")
        }
        let now = replica.dependencies.now()
        let description = try await session.connection.discovery(token: session.token)
        var memory = try await takeMemory(of: session.account)
        if memory.epoch != description.epoch {
            // The server was restored from a backup, so its sequences now stand for other changes.
            try await write(session, &memory) { try $0.begin(description.epoch) }
            memory.epoch = description.epoch
            memory.known.forgetBuckets()
        }
        let before = memory.known.matches()
        let book = try await wanted(memory.known.handedIn(since: now - Self.handedInAge))
        var all = (book?.identities ?? memory.known.identities).union(identities)
        if book?.areAll == false { all.formUnion(memory.known.identities) }
        guard
            let plan = DiscoveryPlan(
                wanted: all, known: memory.known, keys: description.keys, device: session.account.device, at: now)
        else { throw KithError(.malformed, "The server names no key to look under. Is it a Kith server?") }
        if !plan.forgotten.isEmpty {
            try await write(session, &memory) { try $0.forget(plan.forgotten) }
            memory.known.forget(plan.forgotten)
        }

        var summary = Summary(quota: description.quota)
        summary.identities = all.count
        let shortage = try await evaluate(plan, with: prf, in: session, &summary, &memory, progress)
        if !identities.isEmpty {
            try await write(session, &memory) { try $0.note(handedIn: identities, at: now) }
            memory.known.note(handedIn: identities, at: now)
        }
        try await readBuckets(plan.key, in: session, description.epoch, connecting, &memory)
        let looked = shortage == nil && book != nil ? now : nil
        try await write(session, &memory) { [quota = summary.quota] in try $0.finish(quota, looked: looked) }
        summary.matches = memory.known.matches()
        if summary.matches != before {
            let (old, new) = (Set(before), Set(summary.matches))
            summary.added = summary.matches.filter { !old.contains($0) }
            summary.removed = before.filter { !new.contains($0) }
        }
        await addressBook.show(memory.known.accounts, of: session.account.mark, in: replica)
        memory.known.share(all)
        keep(memory)
        if try await isConnecting(connecting, session) { try await connectWithAll(for: session.account.mark) }
        if let shortage { throw shortage }
        return summary
    }

    /// Requests the evaluation of the new identities in batches. Each batch is stored when it arrives.
    ///
    /// - Returns: An error if the daily quota is not sufficient for all of them.
    private func evaluate(
        _ plan: DiscoveryPlan, with prf: any ObliviousPRF, in session: CurrentSession, _ summary: inout Summary,
        _ memory: inout LookupMemory, _ progress: @Sendable (Progress) -> Void
    ) async throws -> KithError? {
        var rest = plan.unevaluated[...]
        while !rest.isEmpty {
            let size = min(Limits.evaluations, summary.quota.left, rest.count)
            guard size > 0 else { return .exceeded(summary.quota, missing: rest.count, replica.dependencies.now()) }
            let batch = Array(rest.prefix(size))
            let blinded = try await Self.blind(batch, with: prf)
            let request = EvaluationRequest(
                key: plan.key.id, elements: blinded.map { Data($0.element).base64URL })
            let answer: EvaluationAnswer
            do {
                answer = try await session.connection.evaluate(request, token: session.token)
            } catch KithError.Code.quotaExceeded {
                // Another device of the account has used some of the quota meanwhile.
                summary.quota = try await session.connection.discovery(token: session.token).quota
                if summary.quota.left >= size {
                    throw KithError(.busy, "The server refuses more than its quota says. Try again later.")
                }
                continue
            }
            let lookups = try await Self.finish(batch, blinded, answer.elements, under: plan.key.id, with: prf)
            try await write(session, &memory) { try $0.save(evaluated: lookups) }
            for var lookup in lookups {
                // As in the database, a known match stays until the new key's bucket has been read.
                let before = memory.known[lookup.identity]
                (lookup.match, lookup.handedIn) = (before?.match, before?.handedIn)
                memory.known.put(lookup)
            }
            rest = rest.dropFirst(size)
            summary.evaluated += size
            summary.quota = answer.quota
            progress(Progress(done: summary.evaluated, total: plan.unevaluated.count))
        }
        return nil
    }

    @concurrent private static func blind(
        _ batch: [Identity], with prf: any ObliviousPRF
    ) async throws -> [BlindedInput] {
        try prf.blind(batch.map(\.input))
    }

    @concurrent private static func finish(
        _ batch: [Identity], _ blinded: [BlindedInput], _ elements: [String], under key: String,
        with prf: any ObliviousPRF
    ) async throws -> [Lookup] {
        do {
            let outputs = try prf.finalize(blinded, evaluated: elements.map { Array(Data(base64URL: $0) ?? Data()) })
            return try zip(batch, outputs).map { identity, output in
                guard let output = DiscoveryOutput(output) else { throw ObliviousPRFError(index: 0) }
                return Lookup(identity: identity, key: key, output: output)
            }
        } catch {
            throw KithError(
                .malformed, "The server's evaluation is not valid. Is it a Kith server?",
                cause: error)
        }
    }

    /// Whether the look connects with everybody it finds: because it was asked to, or because the account always does.
    private func isConnecting(_ wasAsked: Bool, _ session: CurrentSession) async throws -> Bool {
        if wasAsked { return true }
        return try await replica.read { db, _ in try LookupRows(db: db, account: session.account.key).connects() }
    }

    /// Reads the buckets of all lookups under a key that are new or have changed.
    private func readBuckets(
        _ key: DiscoveryDescription.Key, in session: CurrentSession, _ epoch: String, _ connecting: Bool,
        _ memory: inout LookupMemory
    ) async throws {
        let since = try await replica.read { db, current in
            try current.check(session.account.mark)
            return try LookupRows(db: db, account: session.account.key).readThrough(of: key.id)
        }
        var plan = try await BucketPlan(
            memory.known, under: key, in: epoch, since: since, isConnecting: isConnecting(connecting, session))
        if plan.wantsFilter {
            if let filter = try await session.connection.filter(of: key.id, token: session.token) {
                plan.take(filter)
            } else {
                plan.skipFilter()
            }
        }
        while let request = plan.next {
            let answer = try await session.connection.buckets(request, token: session.token)
            guard let first = answer.buckets.first, request.prefixes.contains(first.prefix) else {
                throw KithError(.malformed, "The server answered none of the buckets. Is it a Kith server?")
            }
            let looked = plan.take(answer)
            // Until the last bucket has been read, the earlier sequence is stored, so that an interrupted look misses
            // no changes.
            let reached = plan.next == nil ? plan.reached : since ?? plan.reached
            try await write(session, &memory) { rows in
                try rows.save(looked: looked)
                try rows.save(readThrough: reached, of: key.id)
            }
            for lookup in looked { memory.known.put(lookup) }
        }
    }

    /// Writes to the replica if the look's account is still the current one.
    private func write(
        _ session: CurrentSession, _ memory: inout LookupMemory, _ body: @escaping @Sendable (LookupRows) throws -> Void
    ) async throws {
        let (before, after) = try await replica.write { transaction in
            try transaction.account.check(session.account.mark)
            let before = try transaction.lookups.revision()
            try body(transaction.lookups)
            return (before, try transaction.lookups.revision())
        }
        memory.revision = memory.revision == before ? after : nil
    }
}

extension KithError {
    fileprivate static func exceeded(_ quota: DailyAllowance, missing: Int, _ now: Timestamp) -> KithError {
        let moment = quota.resets.date.formatted(.iso8601)
        return KithError(
            .quotaExceeded,
            "Today's \(quota.limit) numbers and emails are used up; \(missing) are still to be looked for. Look again after "
                + "\(moment).",
            retryAfter: max(.zero, quota.resets - now))
    }

    /// Whether the server has changed since it described its keys: a key has ended, or buckets are larger.
    fileprivate var isAboutKey: Bool {
        let code = (cause as? Problem)?.code
        return code == .keyExpired || code == .conflict
    }
}

/// Carries out the decisions of ``DiscoveryMachine``, and reports events to it.
extension Discovery {
    /// Sends an event to the machine, if ``run()`` is running.
    func note(_ event: DiscoveryMachine.Event) {
        state.withLock(\.inbox)?.put(event)
    }

    /// Runs looks when they are due, until the calling task is cancelled. Only one may run at a time, as `KithClient.run()`
    /// ensures.
    package func run() async {
        let inbox = EventInbox<DiscoveryMachine.Event>()
        state.withLock { $0.inbox = inbox }
        defer { state.withLock { $0.inbox = nil } }
        var machine = DiscoveryMachine()
        var timer: Task<Void, Never>?
        var listening: Task<Void, Never>?
        let found = replica.foundMatches()
        let finding = Task { for await _ in found { inbox.put(.tick) } }
        inbox.put(.start)
        for await _ in inbox.bell {
            var next = inbox.take()
            while let event = next, !Task.isCancelled {
                timer?.cancel()
                let situation = await situation()
                if situation.isEnabled, listening == nil { listening = listen(inbox) }
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

    /// Reports every change of the address book that changes the identities to look for.
    private func listen(_ inbox: EventInbox<DiscoveryMachine.Event>) -> Task<Void, Never> {
        let addressBook = addressBook
        return Task {
            var known: Set<Identity>?
            while !Task.isCancelled {
                // A listener that falls behind is ended. This loop then starts a new one.
                for await changed in addressBook.changes() {
                    guard let identities = try? await addressBook.identities() else { continue }
                    let isOther = known.map { $0 != identities } ?? (changed.origin != .state)
                    known = identities
                    if isOther { inbox.put(.bookChanged) }
                }
            }
        }
    }
}
