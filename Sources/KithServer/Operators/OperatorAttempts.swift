import KithModel

/// The limits of sign-ins to the operator's pages, in a day (UTC). Each attempt counts, also one that succeeds.
///
/// A password has 100 random bits, so that nobody guesses it. The limits save the work of hashing, and make a list of
/// passwords from elsewhere useless. They are about networks and never about a name: otherwise anybody who knows a name could
/// keep its operator out.
enum OperatorAttempts {
    /// The attempts from one network.
    static let ofNetwork = 50
    /// The attempts from all networks together. After that, a network has only ``ofNetworkLater``.
    static let ofAll = 1_000
    /// The attempts from one network after ``ofAll``. Whoever has many networks so cannot use up those of the operator's own.
    static let ofNetworkLater = 5
    private static let kind = "operatorSignIns"
    private static let noun = "sign-ins of operators"

    /// Counts an attempt from a network.
    ///
    /// - Throws: ``ServerError`` with the code `quotaExceeded` if there were too many.
    static func take(from network: NetworkHash, at now: Timestamp, in transaction: any Transaction) throws {
        let all = DailyQuota(kind: kind, noun: noun, limit: ofAll)
        let isBusy = try all.allowance(of: .everybody, at: now, in: transaction).left < 1
        try DailyQuota(kind: kind, noun: noun, limit: isBusy ? ofNetworkLater : ofNetwork)
            .take(by: .network(network), at: now, in: transaction)
        if !isBusy { try all.take(by: .everybody, at: now, in: transaction) }
    }
}
