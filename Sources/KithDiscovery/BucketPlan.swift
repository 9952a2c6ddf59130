package import KithModel

/// Decides which buckets to read, and interprets the answers. Performs no input or output.
///
/// A look that reads many buckets whole can read a ``TagFilter`` first, if it connects with everybody it finds:
///
///     wantsFilter ──take(filter)──▶ buckets of the hits, among decoys ──▶ changes since the filter ──▶ complete
///         │
///         └─────────skipFilter()──▶ buckets of all new lookups ─────────▶ changes ─────────────────▶ complete
///
/// The filter is only for such a look, because the buckets then name little that the contact requests do not name. A look
/// without contact requests would tell the server more than the buckets of all lookups do: which of them are hits.
package struct BucketPlan: Hashable, Sendable {
    private let key: DiscoveryDescription.Key
    private let epoch: String
    private var lookups: [UInt32: [Lookup]]
    /// The sequence of the key up to which the lookups have been read; nil if none has been read.
    private var since: Int64?
    /// The buckets to read whole, because they contain a new lookup.
    package private(set) var whole: [UInt32] = []
    /// The buckets of which only the changes are needed.
    package private(set) var changed: [UInt32] = []
    /// Whether the filter is to be read before the next request.
    package private(set) var wantsFilter = false
    /// The new lookups that are not in the filter. They are results only when the plan is complete: an interrupted look
    /// begins with the filter again, and asks for the same decoys.
    private var absent: [Identity: Lookup] = [:]
    private var hasChanges: Bool
    private var least: Int64?

    /// The number of buckets that are read with those of the hits, and contain none.
    package static let decoys = 16

    /// The plan for all lookups under a key. In this epoch of the server, their buckets have been read up to `since`.
    ///
    /// - Parameters:
    ///   - known: The lookups.
    ///   - key: The key.
    ///   - epoch: The server's epoch.
    ///   - since: The sequence up to which the buckets have been read; nil if none has been read.
    ///   - isConnecting: Whether the look connects with everybody it finds.
    package init(
        _ known: KnownLookups, under key: DiscoveryDescription.Key, in epoch: String, since: Int64?,
        isConnecting: Bool = false
    ) {
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
        wantsFilter = isConnecting && Self.isWorthAFilter(whole.count, of: key)
    }

    /// Whether the filter has at most half the bytes of so many whole buckets. Even if all lookups are hits, the look then
    /// costs at most half as much again as without it.
    private static func isWorthAFilter(_ count: Int, of key: DiscoveryDescription.Key) -> Bool {
        // A server could name any number.
        guard let identities = key.identities, (1...(1 << 32)).contains(identities),
            (1...Limits.bucketBits).contains(key.bits)
        else { return false }
        let bucket = max(identities >> key.bits, Limits.bucketFloor) * BucketAnswer.Entry.compactSize
        return 2 * TagFilter.size(of: identities) <= count * bucket
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

    // MARK: The filter

    /// Continues without the filter, because the server has none.
    package mutating func skipFilter() { wantsFilter = false }

    /// Applies the filter: of the new lookups, only those in it need their buckets.
    ///
    /// It may be older than what has been read, or older than the description. The changes since then are read as well.
    package mutating func take(_ filter: TagFilter) {
        wantsFilter = false
        let new = whole.flatMap { lookups[$0] ?? [] }.filter { since == nil || !$0.isLooked }
        let present = filter.present(of: new.map(\.output.tag))
        let asked = withDecoys(Set(new.filter { present.contains($0.output.tag) }.map { $0.output.bucket(key.bits) }))
        let rest = Set(whole).subtracting(asked)
        let isFirst = since == nil
        for prefix in rest {
            lookups[prefix] = lookups[prefix]?.map { member in
                guard isFirst || !member.isLooked else { return member }
                var lookup = member
                (lookup.isLooked, lookup.match) = (true, nil)
                if lookup != member { absent[lookup.identity] = lookup }
                return lookup
            }
        }
        let oldest = min(since ?? filter.sequence, filter.sequence)
        since = oldest
        whole = asked.sorted()
        changed = oldest < key.sequence ? rest.union(changed).subtracting(asked).sorted() : []
        hasChanges = !changed.isEmpty
    }

    /// Adds buckets that look random to the server, and are the same for the same lookups: whoever sees two requests of an
    /// interrupted look cannot subtract the one from the other.
    private func withDecoys(_ hits: Set<UInt32>) -> Set<UInt32> {
        var random = SplitMix64(seed: lookups.values.joined().reduce(0) { $0 ^ $1.output.seed })
        var asked = hits
        while asked.count < min(hits.count + Self.decoys, 1 << key.bits) {
            asked.insert(DiscoveryOutput.bucket(of: random.next(), key.bits))
        }
        return asked
    }

    // MARK: Buckets

    /// Applies the answer to the ``next`` request, and returns the identities whose result has changed.
    package mutating func take(_ answer: BucketAnswer) -> [Lookup] {
        let told = Set(answer.buckets.map(\.prefix))
        whole.removeAll { told.contains($0) }
        changed.removeAll { told.contains($0) }
        least = min(least ?? answer.sequence, answer.sequence)
        let looked = answer.buckets.flatMap { results($0, of: answer) }
        for lookup in looked { absent[lookup.identity] = nil }
        guard next == nil, !absent.isEmpty else { return looked }
        defer { absent = [:] }
        return looked + absent.values.sorted { $0.identity < $1.identity }
    }

    private func results(_ bucket: BucketAnswer.Bucket, of answer: BucketAnswer) -> [Lookup] {
        // Usually nothing has changed.
        if answer.isChanges && bucket.entries.isEmpty && bucket.gone.isEmpty { return [] }
        guard let members = lookups[bucket.prefix] else { return [] }
        let wanted = Set(members.map { answer.shown($0.output.tag) })
        var found: [UInt64: MaskedAccount] = [:]
        for entry in bucket.entries where wanted.contains(entry.tag) { found[entry.tag] = entry.account }
        let gone = Set(bucket.gone)
        return members.compactMap { member in
            var lookup = member
            lookup.isLooked = true
            if let account = found[answer.shown(member.output.tag)] {
                lookup.match = member.output.unmasked(account)
            } else if !answer.isChanges || gone.contains(member.output.tag) {
                lookup.match = nil
            }
            return lookup == member ? nil : lookup
        }
    }
}
