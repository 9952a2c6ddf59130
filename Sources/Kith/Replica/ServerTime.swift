import KithModel
import Synchronization

/// The server's time, as far as this process has learnt it. The device's clock may be wrong; each answer of the server says
/// by how much.
final class ServerTime: Sendable {
    /// How far the server's clock is ahead of the device's; nil before the first answer.
    private let lead = Mutex<Duration?>(nil)

    /// Notes the server's time in an answer that has arrived at `now`, by the device's clock.
    func note(_ time: Timestamp, at now: Timestamp) { lead.withLock { $0 = time - now } }

    /// The server's time at `now`, by the device's clock; nil before the first answer.
    func time(at now: Timestamp) -> Timestamp? { lead.withLock { $0 }.map { now + $0 } }
}
