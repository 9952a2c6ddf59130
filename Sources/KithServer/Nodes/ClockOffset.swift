package import KithModel

/// Decides when to warn that the clock of a node is wrong: when it differs from that of the database, once until they
/// agree again.
package struct ClockOffset: Sendable {
    /// The difference that is tolerated.
    package static let most = Duration.seconds(60)

    private var isWrong = false

    package init() {}

    /// Compares the time of the database with the node's.
    ///
    /// - Parameters:
    ///   - database: The time of the database.
    ///   - asked: The node's time before it has asked for it.
    ///   - answered: The node's time after the answer.
    /// - Returns: How far the node's clock is ahead, negative if it is behind; nil if there is nothing new to report.
    package mutating func see(
        _ database: Timestamp, between asked: Timestamp, and answered: Timestamp
    ) -> Duration? {
        let difference =
            asked > database ? asked - database : answered < database ? answered - database : .zero
        let wasWrong = isWrong
        isWrong = difference > Self.most || difference < .zero - Self.most
        return isWrong && !wasWrong ? difference : nil
    }
}
