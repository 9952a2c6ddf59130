import Foundation
import GRDB
import Kith
import KithAddressBook
import KithModel

/// One look: the shell around ``DiscoveryPlan`` and ``BucketPlan``.
extension Discovery {
    /// How long what an app handed in is looked for again with the rest.
    private static let handedInAge = Duration.days(1)

    /// Looks for all that `wanted` says, which is told what was handed in of late; nil for what is known already.
    func look(
        handingIn identities: [Identity] = [], _ progress: @escaping @Sendable (Progress) -> Void,
        wanted: @escaping @Sendable ([Identity]) async throws -> Set<Identity>?
    ) async throws -> Summary {
        try await turn.withLock {
            let session = try await engine.session()
            // Only the account's own server is asked.
            return try await engine.speak(for: session.account) { _ in
                do {
                    return try await look(in: session, handingIn: identities, progress, wanted: wanted)
                } catch let error as KithError where error.isAboutKey {
                    // The key has ended, or buckets have grown, since the server described them: once more.
                    return try await look(in: session, handingIn: identities, progress, wanted: wanted)
                }
            }
        }
    }

    private func look(
        in session: CurrentSession, handingIn identities: [Identity],
        _ progress: @escaping @Sendable (Progress) -> Void,
        wanted: @escaping @Sendable ([Identity]) async throws -> Set<Identity>?
    ) async throws -> Summary {
        guard let prf else {
            throw KithError(.unsupported, "Hand in an oblivious function in KithConfiguration: this system has none.")
        }
        let now = replica.dependencies.now()
        let description = try await session.connection.discovery(token: session.token)
        var memory = try await takeMemory(of: session.account)
        if memory.epoch != description.epoch {
            // The server was restored from a backup: its sequences count others now.
            try await write(session, &memory) { try $0.begin(description.epoch) }
            memory.epoch = description.epoch
            memory.known.forgetBuckets()
        }
        let before = memory.known.matches()
        let book = try await wanted(memory.known.handedIn(since: now - Self.handedInAge))
        let all = (book ?? memory.known.identities).union(identities)
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
        try await readBuckets(plan.key, in: session, description.epoch, &memory)
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
        try await connectAutomatically(for: session.account.mark)
        if let shortage { throw shortage }
        return summary
    }

    /// Has the server evaluate what is new, batch by batch; each is kept as it comes.
    ///
    /// - Returns: Why not all of it was, if the day has not enough left.
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
                // Another device of the account was quicker.
                summary.quota = try await session.connection.discovery(token: session.token).quota
                if summary.quota.left >= size { throw KithError(.busy, "The server counts otherwise than it says.") }
                continue
            }
            let lookups = try await Self.finish(batch, blinded, answer.elements, under: plan.key.id, with: prf)
            try await write(session, &memory) { try $0.save(evaluated: lookups) }
            for var lookup in lookups {
                // As it is written: a match that is known stays until the new key's bucket was read.
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
                .malformed, "The server evaluated what it was sent in a way that cannot be. Is it a Kith server?",
                cause: error)
        }
    }

    /// Reads the buckets of all that is known under a key, as far as they are new or have changed.
    private func readBuckets(
        _ key: DiscoveryDescription.Key, in session: CurrentSession, _ epoch: String, _ memory: inout LookupMemory
    ) async throws {
        let since = try await replica.read { db, current in
            try current.check(session.account.mark)
            return try LookupRows(db: db, account: session.account.key).readThrough(of: key.id)
        }
        var plan = BucketPlan(memory.known, under: key, in: epoch, since: since)
        while let request = plan.next {
            let answer = try await session.connection.buckets(request, token: session.token)
            guard let first = answer.buckets.first, request.prefixes.contains(first.prefix) else {
                throw KithError(.malformed, "The server answered none of the buckets. Is it a Kith server?")
            }
            let looked = plan.take(answer)
            // What is read first is where the changes begin, should the rest not be read now.
            let reached = plan.next == nil ? plan.reached : since ?? plan.reached
            try await write(session, &memory) { rows in
                try rows.save(looked: looked)
                try rows.save(readThrough: reached, of: key.id)
            }
            for lookup in looked { memory.known.put(lookup) }
        }
    }

    /// Writes something down, if the account that the look is for is still the current one.
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
            "Today's \(quota.limit) look-ups are used up; \(missing) numbers and emails are still to be looked for. "
                + "Look again after \(moment).",
            retryAfter: max(.zero, quota.resets - now))
    }

    /// Whether the server has gone on from what it described: an ended key, larger buckets.
    fileprivate var isAboutKey: Bool {
        let code = (cause as? Problem)?.code
        return code == .keyExpired || code == .conflict
    }
}
