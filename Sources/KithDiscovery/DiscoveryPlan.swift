package import KithModel

/// What is to be asked of the service, so that every identity that is wanted is looked for and nothing is asked twice.
/// It performs no input or output.
///
/// First what is new is evaluated. Then ``BucketPlan`` says which buckets to look into.
package struct DiscoveryPlan: Hashable, Sendable {
    /// The key to look under.
    package let key: DiscoveryDescription.Key
    /// What is no longer wanted.
    package let forgotten: [Identity]
    /// What is to be evaluated under the key.
    package let unevaluated: [Identity]

    /// The plan for these identities, of some of which something is known; nil if the service has no key.
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

    /// The key to look under: the current one, unless the device still holds to the one before.
    ///
    /// Devices move over one by one, each at a moment that its own identity gives, in the time for which the old key
    /// is served, less a sixth: so the server is not asked for everybody's numbers at once. One that has begun goes on.
    private static func choose(
        _ keys: [DiscoveryDescription.Key], _ known: KnownLookups, _ device: DeviceID, _ now: Timestamp
    ) -> DiscoveryDescription.Key? {
        guard let current = keys.first(where: { $0.until == nil }) ?? keys.first else { return nil }
        guard !known.holds(current.id),
            let old = keys.last(where: { known.holds($0.id) }), let until = old.until
        else { return current }
        let span = max(0, (until - current.since).milliseconds) * 5 / 6
        var random = SplitMix64(seed: device.uuid.halves.low ^ device.uuid.halves.high)
        let moment = current.since + .milliseconds(Int64(random.next() >> 1) % (span + 1))
        return now < moment ? old : current
    }
}
