/// The current parameters of discovery: `GET /v1/discovery`.
package struct DiscoveryDescription: Hashable, Sendable, Codable {
    /// A key of the oblivious function that the server serves.
    package struct Key: Hashable, Sendable, Codable {
        /// The key's id.
        package var id: String
        /// The time when it became the current key, in the server's time.
        package var since: Timestamp
        /// The time until which it is served; nil for the current key.
        package var until: Timestamp?
        /// The number of bits of a bucket's prefix. It is small enough that every bucket has many identities.
        package var bits: Int
        /// The latest sequence. A client that has read up to it has read everything.
        package var sequence: Int64
        /// The number of registered identities; nil if the server offers no ``TagFilter``.
        package var identities: Int?

        /// Creates a key with these properties.
        package init(
            id: String, since: Timestamp, until: Timestamp?, bits: Int, sequence: Int64, identities: Int? = nil
        ) {
            (self.id, self.since, self.until, self.bits, self.sequence) = (id, since, until, bits, sequence)
            self.identities = identities
        }
    }

    /// The server's epoch. Buckets that were read in another epoch are not valid.
    package var epoch: String
    /// The keys, the current one first.
    package var keys: [Key]
    /// The daily quota of evaluations and its use.
    package var quota: DailyAllowance

    /// Creates a description with these properties.
    package init(epoch: String, keys: [Key], quota: DailyAllowance) {
        (self.epoch, self.keys, self.quota) = (epoch, keys, quota)
    }
}
