import Foundation
package import KithModel

/// Decides from numbers and hashes whether a device is the one that it claims to be, and which of its mutations are
/// new.
///
///     L < a                          the server was restored from a backup    forgotten
///     L > s, or a hash differs       two devices use this identity            copied
///     a ≤ L ≤ m                      mutations up to L were already taken     recognised
///     m < L ≤ s                      all mutations were already taken         recognised
///
/// A number without a stored hash never counts as different. A device that respects ``Limits/mutations`` per request
/// sends such old numbers only when it presents its log to a restored server.
package struct Numbering: Hashable, Sendable {
    /// The last number that the server took from the device: *L*.
    package var last: Int64
    /// The stored hashes of the numbers that the server took.
    package var hashes: [Int64: String]

    package init(last: Int64, hashes: [Int64: String]) {
        self.last = last
        self.hashes = hashes
    }

    /// The numbers and hashes of a request.
    package struct Report: Hashable, Sendable {
        /// The last number that the device knows to have been taken: *a*.
        package var acknowledged: Acknowledgement
        /// The highest number that the device has ever assigned: *s*.
        package var sent: Int64
        /// The hashes of the device's mutations *a* + 1 … *m*.
        package var hashes: [String]

        package init(acknowledged: Acknowledgement, sent: Int64, hashes: [String]) {
            self.acknowledged = acknowledged
            self.sent = sent
            self.hashes = hashes
        }
    }

    package enum Decision: Hashable, Sendable {
        /// The mutations from this index on are new; the earlier ones were taken.
        case recognised(from: Int)
        /// Nothing is taken. These numbers of the request were already taken, with the same content.
        case copied(taken: [Int64])
        /// Nothing is taken.
        case forgotten

        package var standing: DeviceStanding {
            switch self {
            case .recognised: .recognised
            case .copied: .copied
            case .forgotten: .forgotten
            }
        }
    }

    package func decision(on report: Report) -> Decision {
        let acknowledged = report.acknowledged.number
        if last < acknowledged { return .forgotten }
        let repeated = zip((acknowledged + 1)..., report.hashes).prefix { number, _ in number <= last }
        let differs =
            isOther(report.acknowledged.hash, at: acknowledged)
            || repeated.contains { number, hash in isOther(hash, at: number) }
        if last > report.sent || differs {
            return .copied(taken: repeated.filter { number, hash in hashes[number] == hash }.map { $0.0 })
        }
        return .recognised(from: repeated.count)
    }

    /// An empty hash means that the device no longer knows the hash.
    private func isOther(_ hash: String, at number: Int64) -> Bool {
        guard !hash.isEmpty, let known = hashes[number] else { return false }
        return known != hash
    }
}

extension Mutation {
    /// The stored hash of the mutation's content: the first sixteen bytes of the SHA-256 of its canonical form, in
    /// Base64url.
    package var hash: String { Data(Secret.sha256(canonical).prefix(16)).base64URL }
}
