/// How the service finds people just now: `GET /v1/discovery`.
package struct DiscoveryDescription: Hashable, Sendable, Codable {
    /// A key of the oblivious function that is served.
    package struct Key: Hashable, Sendable, Codable {
        /// Which key it is.
        package var id: String
        /// Since when it is the current one, or was, in the server's time.
        package var since: Timestamp
        /// When it is served no more; nil for the current one.
        package var until: Timestamp?
        /// How many bits a bucket's prefix has: so few that every bucket has its crowd.
        package var bits: Int
        /// The newest sequence: who has read that far knows all.
        package var sequence: Int64

        /// A key with these properties.
        package init(id: String, since: Timestamp, until: Timestamp?, bits: Int, sequence: Int64) {
            (self.id, self.since, self.until, self.bits, self.sequence) = (id, since, until, bits, sequence)
        }
    }

    /// The server's epoch: what was read of buckets in another one says nothing of them now.
    package var epoch: String
    /// The keys, the current one first.
    package var keys: [Key]
    /// How many evaluations the account may still ask for today.
    package var quota: DailyAllowance

    /// A description with these properties.
    package init(epoch: String, keys: [Key], quota: DailyAllowance) {
        (self.epoch, self.keys, self.quota) = (epoch, keys, quota)
    }
}

/// How much of something an account may ask for in one day (UTC), and how much it has.
public struct DailyAllowance: Hashable, Sendable, Codable {
    /// How much there is in a day.
    public var limit: Int
    /// How much of today's is used.
    public var used: Int
    /// When the next day begins, in the server's time.
    public var resets: Timestamp

    /// An allowance with these properties.
    public init(limit: Int, used: Int, resets: Timestamp) {
        (self.limit, self.used, self.resets) = (limit, used, resets)
    }

    /// How much is left of today's.
    public var left: Int { max(0, limit - used) }
}

/// Blinded elements to be evaluated: `POST /v1/discovery/evaluations`.
package struct EvaluationRequest: Hashable, Sendable, Codable {
    /// The key that they are to be evaluated under.
    package var key: String
    /// At most ``Limits/evaluations``, each 32 bytes in Base64url.
    package var elements: [String]

    /// A request with these properties.
    package init(key: String, elements: [String]) { (self.key, self.elements) = (key, elements) }
}

/// What became of the elements.
package struct EvaluationAnswer: Hashable, Sendable, Codable {
    /// In the order of the request, each 32 bytes in Base64url.
    package var elements: [String]
    /// What is left of today's.
    package var quota: DailyAllowance

    /// An answer with these properties.
    package init(elements: [String], quota: DailyAllowance) { (self.elements, self.quota) = (elements, quota) }
}

/// Buckets to look into: `POST /v1/discovery/buckets`. The answer is a ``BucketAnswer``.
package struct BucketRequest: Hashable, Sendable, Codable {
    /// The key under which the prefixes were found.
    package var key: String
    /// How many bits a prefix has: at most as many as the description says.
    package var bits: Int
    /// At most ``Limits/buckets``.
    package var prefixes: [UInt32]
    /// Only what has changed after this sequence is wanted; nil for whole buckets.
    package var since: Int64?
    /// The server's epoch in which that sequence was read. In another one it counts as none.
    package var epoch: String?

    /// A request with these properties.
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

    /// A prefix in a request. The decoder would not say the place of one that is no `UInt32`.
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
