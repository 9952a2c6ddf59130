package import KithModel

/// What has become of a message.
///
///     queued ──accepted──▶ sent ──bounce──▶ failed
///        └──refused, expired──▶ failed
package enum MessageState: Hashable, Sendable {
    /// It waits for its first or next attempt.
    case queued
    /// The gateway has accepted it.
    case sent
    /// It does not reach its recipient.
    case failed(MessageFailure)

    /// The name in the database and in listings.
    package var name: String {
        switch self {
        case .queued: "queued"
        case .sent: "sent"
        case .failed: "failed"
        }
    }
}
