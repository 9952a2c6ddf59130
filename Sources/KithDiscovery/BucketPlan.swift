package import KithModel

/// Decides which buckets to read, and interprets the answers. Performs no input or output.
package struct BucketPlan: Hashable, Sendable {
    private let key: DiscoveryDescription.Key
    private let epoch: String
    private let lookups: [UInt32: [Lookup]]
    /// The sequence of the key up to which the buckets have been read; nil if none has been read.
    private let since: Int64?
    /// The buckets to read whole, because they contain a new lookup.
    package private(set) var whole: [UInt32] = []
    /// The buckets of which only the changes are needed.
    package private(set) var changed: [UInt32] = []
    private let hasChanges: Bool
    private var least: Int64?

    /// The plan for all lookups under a key. In this epoch of the server, their buckets have been read up to `since`.
    package init(_ known: KnownLookups, under key: DiscoveryDescription.Key, in epoch: String, since: Int64?) {
        (self.key, self.epoch, self.since) = (key, epoch, since)
        guard since != key.sequence || !known.isLooked else {
            // Everything has been read already, so this plan makes no requests.
            (lookups, hasChanges) = ([:], false)
            return
        }
        lookups = Dictionary(grouping: known.under(key.id)) { $0.output.bucket(key.bits) }
        for (prefix, members) in lookups {
            if since == nil || !members.allSatisfy(\.isLooked) {
                whole.append(prefix)
            } else if since != key.sequence {
                changed.append(prefix)
            }
        }
        whole.sort()
        changed.sort()
        hasChanges = !changed.isEmpty
    }

    /// The next request; nil if the plan is complete.
    package var next: BucketRequest? {
        if !whole.isEmpty {
            return BucketRequest(key: key.id, bits: key.bits, prefixes: Array(whole.prefix(Limits.buckets)))
        }
        guard let since, !changed.isEmpty else { return nil }
        return BucketRequest(
            key: key.id, bits: key.bits, prefixes: Array(changed.prefix(Limits.buckets)), since: since, epoch: epoch)
    }

    /// The sequence up to which everything has been read when the plan is complete.
    ///
    /// The lowest of all answers, because the answer for one bucket does not cover the others.
    package var reached: Int64 {
        if let since, !hasChanges { return since }
        return least ?? key.sequence
    }

    /// Applies the answer to the ``next`` request, and returns the identities whose result has changed.
    package mutating func take(_ answer: BucketAnswer) -> [Lookup] {
        let told = Set(answer.buckets.map(\.prefix))
        whole.removeAll { told.contains($0) }
        changed.removeAll { told.contains($0) }
        least = min(least ?? answer.sequence, answer.sequence)
        return answer.buckets.flatMap { bucket -> [Lookup] in
            // Usually nothing has changed.
            if answer.isChanges && bucket.entries.isEmpty && bucket.gone.isEmpty { return [] }
            guard let members = lookups[bucket.prefix] else { return [] }
            let wanted = Set(members.map(\.output.tag))
            var found: [UInt64: MaskedAccount] = [:]
            for entry in bucket.entries where wanted.contains(entry.tag) { found[entry.tag] = entry.account }
            let gone = Set(bucket.gone)
            return members.compactMap { member in
                var lookup = member
                lookup.isLooked = true
                if let account = found[member.output.tag] {
                    lookup.match = member.output.unmasked(account)
                } else if !answer.isChanges || gone.contains(member.output.tag) {
                    lookup.match = nil
                }
                return lookup == member ? nil : lookup
            }
        }
    }
}
