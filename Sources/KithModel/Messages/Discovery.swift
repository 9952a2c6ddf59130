/// The present parameters of discovery: `GET /v1/discovery`.
package struct DiscoveryDescription: Hashable, Sendable, Codable {
    /// A served key of the oblivious function.
    package struct Key: Hashable, Sendable, Codable {
        /// The key's id.
        package var id: String
        /// The time when it became the current key, in the server's time.
        package var since: Timestamp
        /// The time until which it is served; nil for the current key.
        package var until: Timestamp?
        /// The number of bits of a bucket's prefix. It is small enough that every bucket has many identities.
        package var bits: Int
        /// The latest sequence: a client that has read up to it has everything.
        package var sequence: Int64

        /// Creates a key with these properties.
        package init(id: String, since: Timestamp, until: Timestamp?, bits: Int, sequence: Int64) {
            (self.id, self.since, self.until, self.bits, self.sequence) = (id, since, until, bits, sequence)
        }
    }

    /// The server's epoch. Buckets that were read in another epoch are no longer valid.
    package var epoch: String
    /// The keys, the current one first.
    package var keys: [Key]
    /// The number of evaluations that the account may still request today.
    package var quota: DailyAllowance

    /// Creates a description with these properties.
    package init(epoch: String, keys: [Key], quota: DailyAllowance) {
        (self.epoch, self.keys, self.quota) = (epoch, keys, quota)
    }
}

/// An account's quota for one day (UTC), and its use.
public struct DailyAllowance: Hashable, Sendable, Codable {
    /// The quota of one day.
    public var limit: Int
    /// The used part of today's quota.
    public var used: Int
    /// The beginning of the next day, in the server's time.
    public var resets: Timestamp

    /// Creates an allowance with these properties.
    public init(limit: Int, used: Int, resets: Timestamp) {
        (self.limit, self.used, self.resets) = (limit, used, resets)
    }

    /// The remaining part of today's quota.
    public var left: Int { max(0, limit - used) }
}

/// A request to evaluate blinded elements: `POST /v1/discovery/evaluations`.
package struct EvaluationRequest: Hashable, Sendable, Codable {
    /// The key for the evaluation.
    package var key: String
    /// The elements, at most ``Limits/evaluations``, each 32 bytes in Base64url.
    package var elements: [String]

    /// Creates a request with these properties.
    package init(key: String, elements: [String]) { (self.key, self.elements) = (key, elements) }
}

/// The evaluated elements.
package struct EvaluationAnswer: Hashable, Sendable, Codable {
    /// The elements in the order of the request, each 32 bytes in Base64url.
    package var elements: [String]
    /// The remaining quota of today.
    package var quota: DailyAllowance

    /// Creates an answer with these properties.
    package init(elements: [String], quota: DailyAllowance) { (self.elements, self.quota) = (elements, quota) }
}

/// A request for buckets: `POST /v1/discovery/buckets`. The answer is a ``BucketAnswer``.
package struct BucketRequest: Hashable, Sendable, Codable {
    /// The key that the prefixes belong to.
    package var key: String
    /// The number of bits of a prefix: at most the number in the description.
    package var bits: Int
    /// The prefixes, at most ``Limits/buckets``.
    package var prefixes: [UInt32]
    /// Requests only changes after this sequence; nil for whole buckets.
    package var since: Int64?
    /// The server's epoch in which that sequence was read. In another epoch the sequence is ignored.
    package var epoch: String?

    /// Creates a request with these properties.
    package init(key: String, bits: Int, prefixes: [UInt32], since: Int64? = nil, epoch: String? = nil) {
        (self.key, self.bits, self.prefixes) = (key, bits, prefixes)
        (self.since, self.epoch) = (since, epoch)
    }

    /// Reads a request.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        key = try container.decode(String.self, forKey: .key)
        bits = try container.decode(Int.self, forKey: .bits)
        prefixes = try container.decode([Prefix].self, forKey: .prefixes).map(\.number)
        since = try container.decodeIfPresent(Int64.self, forKey: .since)
        epoch = try container.decodeIfPresent(String.self, forKey: .epoch)
    }

    /// A prefix in a request. Without this type the decoder would not report the position of an invalid one.
    private struct Prefix: Decodable {
        let number: UInt32

        init(from decoder: any Decoder) throws {
            let whole = try decoder.singleValueContainer().decode(Int64.self)
            guard let number = UInt32(exactly: whole) else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription:
                            "A prefix is a whole number of at most \(Limits.bucketBits) bits, not \(whole)."
                    ))
            }
            self.number = number
        }
    }
}
