package import KithModel

/// The keys of an issuer, and when to fetch them. It has no input or output of its own.
///
///     empty ──fetched──▶ fresh ──1 hour──▶ stale ──1 day──▶ empty
///                          │ unknown key or wrong signature, at most every 5 minutes
///                          ▼
///                        fetch
///
/// Issuers rotate their keys: a token with an unknown key makes the server fetch them again. So does a token whose signature
/// is wrong, because the new key may have the id of the old one, or none. The pause keeps tokens with invented keys from causing
/// requests.
package struct IssuerCache: Sendable {
    /// How long keys are used without asking for newer ones.
    package static let fresh = Duration.seconds(3_600)
    /// How long keys are used while newer ones cannot be fetched.
    package static let usable = Duration.days(1)
    /// The pause between two requests because of an unknown key.
    package static let pause = Duration.seconds(5 * 60)
    /// The pause after a request that failed.
    package static let failurePause = Duration.seconds(10)

    private var keys: [SigningKey] = []
    private var fetched: Timestamp?
    private var tried: Timestamp?

    package init() {}

    /// What to do about a token.
    package enum Step: Hashable, Sendable {
        case use(SigningKey)
        case fetch
        /// No key fits, and it is too early to fetch keys again.
        case refuse
    }

    /// What to do about a token with this header.
    ///
    /// - Parameters:
    ///   - header: The header.
    ///   - wrong: A key that fits the header and has not signed the token; nil if none is known.
    ///   - now: The server's time.
    /// - Returns: The step.
    package func step(for header: TokenHeader, insteadOf wrong: SigningKey? = nil, at now: Timestamp) -> Step {
        let isUsable = fetched.map { now < $0 + Self.usable } ?? false
        let fitting = isUsable ? keys.filter { $0.fits(header) && $0 != wrong } : []
        // Without an id, the key must be the only one.
        let key = fitting.count == 1 || (header.key != nil && !fitting.isEmpty) ? fitting.first : nil
        let isFresh = fetched.map { now < $0 + Self.fresh } ?? false
        if let key, isFresh { return .use(key) }
        let isFailed = tried != fetched
        if let tried, now < tried + (isFresh && !isFailed ? Self.pause : Self.failurePause) {
            return key.map { .use($0) } ?? .refuse
        }
        return .fetch
    }

    /// Stores the result of a request; nil if it failed.
    package mutating func store(_ new: [SigningKey]?, at now: Timestamp) {
        tried = now
        if let new { (keys, fetched) = (new, now) }
    }
}
