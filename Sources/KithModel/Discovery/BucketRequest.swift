/// A request for buckets: `POST /v1/discovery/buckets`. The answer is a ``BucketAnswer``.
package struct BucketRequest: Hashable, Sendable, Codable {
    /// The key that the prefixes belong to.
    package var key: String
    /// The number of bits of a prefix: at most the number in the description.
    package var bits: Int
    /// The prefixes, at most ``Limits/buckets``.
    package var prefixes: [UInt32]
    /// The sequence after which changes are requested; nil to request whole buckets.
    package var since: Int64?
    /// The server's epoch in which that sequence was read. In another epoch the sequence is ignored.
    package var epoch: String?
    /// Whether whole buckets may be sent in the compact form. An older server ignores this.
    package var isCompact: Bool?

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
        isCompact = try container.decodeIfPresent(Bool.self, forKey: .isCompact)
    }

    /// A prefix in a request. With this type the decoder reports the position of an invalid prefix.
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
