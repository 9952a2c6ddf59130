import Foundation
import KithModel
import Synchronization

/// Limits the ticks of people with public links: in total for each link, and for each network on it.
///
/// Somebody who fills a list with ticks reaches the limit of their network long before that of the link.
package final class TickLimits: Sendable {
    /// The ticks of one network with one link.
    package static let network = Rate(perSecond: 0.5, burst: 60)
    /// The ticks of everybody with one link.
    package static let link = Rate(perSecond: 5, burst: 300)

    private struct State {
        var networks = TokenBuckets<Data>(TickLimits.network)
        var links = TokenBuckets<Data>(TickLimits.link)
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts a tick.
    ///
    /// - Parameters:
    ///   - token: The token of the link. Only its hash is kept.
    ///   - network: The network of the browser, as text.
    ///   - now: The server's uptime.
    /// - Throws: ``ServerError`` with the code `tooFast` if the network or the link has reached its limit.
    package func pass(_ token: String, from network: String, at now: Duration) throws(ServerError) {
        let (link, visitor) = (Secret.sha256(token), Secret.sha256("\(token) \(network)"))
        let wait = state.withLock { state in
            state.networks.take(from: visitor, at: now) ?? state.links.take(from: link, at: now)
        }
        guard let wait else { return }
        throw ServerError(
            .tooFast, "Too many ticks. Wait \(Duration.seconds(wait.wholeSeconds).words), then try again.",
            retryAfter: wait)
    }
}
