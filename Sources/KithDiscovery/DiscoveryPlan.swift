package import KithModel

/// Plans the evaluations, so that each wanted identity is evaluated exactly once. Performs no input or output.
///
/// New identities are evaluated first. Then ``BucketPlan`` decides which buckets to read.
package struct DiscoveryPlan: Hashable, Sendable {
    /// The key to look under.
    package let key: DiscoveryDescription.Key
    /// The known identities that are no longer wanted.
    package let forgotten: [Identity]
    /// The identities to evaluate under the key.
    package let unevaluated: [Identity]

    /// The plan for these identities, some of which are already known; nil if the service has no key.
    package init?(
        wanted: Set<Identity>, known: KnownLookups, keys: [DiscoveryDescription.Key], device: DeviceID,
        at now: Timestamp
    ) {
        guard let key = Self.choose(keys, known, device, now) else { return nil }
        self.key = key
        let isSame = known.identities == wanted
        forgotten = isSame ? [] : known.identities.subtracting(wanted).sorted()
        let isEvaluated = isSame && known.holdsOnly(key.id)
        unevaluated = isEvaluated ? [] : wanted.filter { known[$0]?.key != key.id }.sorted()
    }

    /// A year, in milliseconds. No server serves an old key for longer: such a period is a mistake or an attack.
    private static let longestPeriod: Int64 = 366 * 86_400_000

    /// The key to use: the current one, unless the device still uses the previous one.
    ///
    /// Devices switch to the new key at different times, so that the server does not have to evaluate everybody's
    /// numbers at once. The time of a device follows from its identity, and lies within the first five sixths of the
    /// period in which the old key is served. A device that has begun to use the new key stays with it.
    private static func choose(
        _ keys: [DiscoveryDescription.Key], _ known: KnownLookups, _ device: DeviceID, _ now: Timestamp
    ) -> DiscoveryDescription.Key? {
        guard let current = keys.first(where: { $0.until == nil }) ?? keys.first else { return nil }
        guard !known.holds(current.id),
            let old = keys.last(where: { known.holds($0.id) }), let until = old.until
        else { return current }
        let period = (until - current.since).milliseconds
        guard (0...longestPeriod).contains(period) else { return current }
        let span = period * 5 / 6
        var random = SplitMix64(seed: device.uuid.halves.low ^ device.uuid.halves.high)
        let moment = current.since + .milliseconds(Int64(random.next() >> 1) % (span + 1))
        return now < moment ? old : current
    }
}
