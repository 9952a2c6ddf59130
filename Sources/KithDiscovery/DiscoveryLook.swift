import Foundation
import Kith
import KithAddressBook
import KithModel

/// One look: the shell around ``DiscoveryPlan`` and ``BucketPlan``.
///
/// It lets the server evaluate the new identities, and then reads the buckets that are new or have changed. Each answer is
/// stored when it arrives, so that the next look continues after a failure.
struct DiscoveryLook: Sendable {
    /// The identities to look for.
    enum Scope: Sendable {
        /// Those of the address book, and those that an app has recently passed in.
        case addressBook
        /// Those that an app passes in now, and all known ones.
        case identities([Identity])
    }

    /// The people with whom the look connects.
    enum Connecting: Sendable {
        /// Everybody it finds if the account is set to connect automatically, or else nobody.
        case asIsSet
        /// Everybody it finds.
        case always
    }

    /// How long numbers and emails that an app has passed in are included in later looks.
    private static let handedInAge = Duration.days(1)

    private let scope: Scope
    private let connecting: Connecting
    private let session: CurrentSession
    private let prf: any ObliviousPRF
    private let replica: Replica
    private let addressBook: AddressBook
    /// Called after each batch of evaluations.
    private let progress: @Sendable (Discovery.Progress) -> Void
    /// The time when the look began.
    private let now: Timestamp
    /// The server's keys and its quota.
    private let description: DiscoveryDescription

    /// What is known of the identities.
    private(set) var memory: LookupMemory
    private(set) var summary: Discovery.Summary
    /// The error if the daily quota is not sufficient for all new identities.
    private(set) var shortage: KithError?

    /// Reads the server's keys, and what is known. The look takes the memory of `discovery`, which keeps it afterwards.
    init(
        _ scope: Scope, connecting: Connecting, in session: CurrentSession, of discovery: Discovery,
        _ progress: @escaping @Sendable (Discovery.Progress) -> Void
    ) async throws {
        guard let prf = discovery.prf else {
            throw KithError(.unsupported, "Hand in an oblivious function in KithConfiguration: this system has none.")
        }
        let now = discovery.replica.dependencies.now()
        let description = try await session.connection.discovery()
        let memory = try await discovery.takeMemory(of: session.account)
        self.scope = scope
        self.connecting = connecting
        self.session = session
        self.prf = prf
        self.replica = discovery.replica
        self.addressBook = discovery.addressBook
        self.progress = progress
        self.now = now
        self.description = description
        self.memory = memory
        self.summary = Discovery.Summary(quota: description.quota)
    }

    /// Looks. Afterwards ``summary`` has the matches, and ``shortage`` says whether identities are missing.
    mutating func run() async throws {
        try await beginEpoch()
        let before = memory.known.matches()
        let (identities, areOfBook) = try await wanted()
        guard
            let plan = DiscoveryPlan(
                wanted: identities, known: memory.known, keys: description.keys, device: session.account.device,
                at: now)
        else { throw KithError(.malformed, "The server names no key to look under. Is it a Kith server?") }
        summary.identities = identities.count
        try await forget(plan.forgotten)
        try await evaluate(plan)
        try await noteHandedIn()
        try await readBuckets(under: plan.key)
        let looked = shortage == nil && areOfBook ? now : nil
        try await write { [quota = summary.quota] in try $0.finish(quota, looked: looked) }
        compare(with: before)
        memory.known.reuseStorage(of: identities)
    }

    /// Whether the look connects with everybody it finds: because it was asked to, or because the account always does. The
    /// user may change the setting during a look, so it is read again before the look connects.
    func connects() async throws -> Bool {
        switch connecting {
        case .always: return true
        case .asIsSet:
            return try await replica.read { [key = session.account.key] in
                try LookupRows(Store($0.db, key)).connects()
            }
        }
    }

    // MARK: What to look for

    /// Begins a new epoch if the server was restored from a backup: its sequences now stand for other changes.
    private mutating func beginEpoch() async throws {
        guard memory.epoch != description.epoch else { return }
        try await write { [epoch = description.epoch] in try $0.begin(epoch) }
        memory.epoch = description.epoch
        memory.known.forgetBuckets()
    }

    /// The identities to look for, and whether they include the address book. If they are not all, the known ones stay
    /// known.
    private func wanted() async throws -> (identities: Set<Identity>, areOfBook: Bool) {
        switch scope {
        case .addressBook:
            let handedIn = memory.known.handedIn(since: now - Self.handedInAge)
            let book = try await WantedIdentities(in: addressBook, and: handedIn)
            return (book.areAll ? book.identities : book.identities.union(memory.known.identities), true)
        case .identities(let identities):
            return (memory.known.identities.union(identities), false)
        }
    }

    /// Removes the identities that are no longer wanted.
    private mutating func forget(_ identities: [Identity]) async throws {
        if identities.isEmpty { return }
        try await write { try $0.forget(identities) }
        memory.known.forget(identities)
    }

    /// Stores which identities the app has passed in.
    private mutating func noteHandedIn() async throws {
        guard case .identities(let identities) = scope, !identities.isEmpty else { return }
        try await write { [now] in try $0.note(handedIn: identities, at: now) }
        memory.known.note(handedIn: identities, at: now)
    }

    // MARK: Evaluations

    /// Requests the evaluation of the new identities in batches. Each batch is stored when it arrives.
    private mutating func evaluate(_ plan: DiscoveryPlan) async throws {
        var rest = plan.unevaluated[...]
        while !rest.isEmpty {
            let size = min(Limits.evaluations, summary.quota.left, rest.count)
            guard size > 0 else {
                shortage = .exceeded(summary.quota, missing: rest.count, replica.dependencies.now())
                return
            }
            let batch = Array(rest.prefix(size))
            let blinded = try await Self.blind(batch, with: prf)
            let request = EvaluationRequest(
                key: plan.key.id, elements: blinded.map { Data($0.element).base64URL })
            let answer: EvaluationAnswer
            do {
                answer = try await session.connection.evaluate(request)
            } catch KithError.Code.quotaExceeded {
                // Another device of the account has used some of the quota meanwhile.
                summary.quota = try await session.connection.discovery().quota
                if summary.quota.left >= size {
                    throw KithError(.busy, "The server refuses more than its quota says. Try again later.")
                }
                continue
            }
            let lookups = try await Self.finish(batch, blinded, answer.elements, under: plan.key.id, with: prf)
            try await write { try $0.save(evaluated: lookups) }
            for var lookup in lookups {
                // As in the database, a known match stays until the new key's bucket has been read.
                let before = memory.known[lookup.identity]
                (lookup.match, lookup.handedIn) = (before?.match, before?.handedIn)
                memory.known.put(lookup)
            }
            rest = rest.dropFirst(size)
            summary.evaluated += size
            summary.quota = answer.quota
            progress(Discovery.Progress(done: summary.evaluated, total: plan.unevaluated.count))
        }
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

    // MARK: Buckets

    /// Reads the buckets of all lookups under a key that are new or have changed.
    private mutating func readBuckets(under key: DiscoveryDescription.Key) async throws {
        let since = try await replica.read { [mark = session.account.mark] reading in
            try reading.account.check(mark)
            return try LookupRows(reading.store).readThrough(of: key.id)
        }
        let isConnecting = try await connects()
        var plan = BucketPlan(
            memory.known, under: key, in: description.epoch, since: since, isConnecting: isConnecting)
        if plan.wantsFilter {
            if let filter = try await session.connection.filter(of: key.id) {
                plan.take(filter)
            } else {
                plan.skipFilter()
            }
        }
        while let request = plan.next {
            let answer = try await session.connection.buckets(request)
            guard let first = answer.buckets.first, request.prefixes.contains(first.prefix) else {
                throw KithError(.malformed, "The server answered none of the buckets. Is it a Kith server?")
            }
            let looked = plan.take(answer)
            // Until the last bucket has been read, the earlier sequence is stored, so that an interrupted look misses
            // no changes.
            let reached = plan.next == nil ? plan.reached : since ?? plan.reached
            try await write { [revision = memory.revision] rows in
                // Another process may have added lookups that this look does not read, or have stored later results. The
                // sequence is not raised then, so that the next look reads the changes again.
                let isAll = try rows.revision() == revision
                let stored = try rows.readThrough(of: key.id)
                try rows.save(looked: looked)
                if let through = isAll ? reached : stored.map({ min($0, reached) }) {
                    try rows.save(readThrough: through, of: key.id)
                }
            }
            for lookup in looked { memory.known.put(lookup) }
        }
    }

    // MARK: Results

    /// Puts the matches into the summary, and their differences from those before the look.
    private mutating func compare(with before: [Discovery.Match]) {
        summary.matches = memory.known.matches()
        guard summary.matches != before else { return }
        let (old, new) = (Set(before), Set(summary.matches))
        summary.added = summary.matches.filter { !old.contains($0) }
        summary.removed = before.filter { !new.contains($0) }
    }

    /// Writes to the replica if the look's account is still the current one.
    private mutating func write(_ body: @escaping @Sendable (LookupRows) throws -> Void) async throws {
        let (before, after) = try await replica.write { [mark = session.account.mark] transaction in
            try transaction.account.check(mark)
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
}
