/// How often the auditor of a world of sharing has known in advance what the server has to decide.
///
/// It does not know it if two things have crossed on their way to the server.
package struct SharingCoverage: Hashable, Sendable {
    /// Sign-ups after which a code had to count.
    package internal(set) var signUps = 0
    /// Codes that had to count after the sign-up.
    package internal(set) var lateCodes = 0
    /// Events of friends that had to be decided.
    package internal(set) var decisions = 0
    /// Those of them that were processed before it was known who has brought the friend.
    package internal(set) var earlyEvents = 0
    /// Granted rewards.
    package internal(set) var rewards = 0

    package init() {}

    package static func + (one: Self, other: Self) -> Self {
        var sum = one
        sum.signUps += other.signUps
        sum.lateCodes += other.lateCodes
        sum.decisions += other.decisions
        sum.earlyEvents += other.earlyEvents
        sum.rewards += other.rewards
        return sum
    }
}
