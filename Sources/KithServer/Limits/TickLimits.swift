import Foundation
import KithModel

/// Limits the ticks of people with public links: in total for each link, and for each network on it.
///
/// Somebody who fills a list with ticks reaches the limit of their network long before that of the link.
package final class TickLimits: Sendable {
    /// The ticks of one network with one link.
    package static let network = Rate(perSecond: 0.5, burst: 60)
    /// The ticks of everybody with one link.
    package static let link = Rate(perSecond: 5, burst: 300)

    private let networks: RateLimit<Data>
    private let links: RateLimit<Data>

    /// - Parameter isShared: Whether other nodes count the same links.
    package init(isShared: Bool = false) {
        networks = RateLimit("tick-network", Self.network, isShared: isShared)
        links = RateLimit("tick-link", Self.link, isShared: isShared)
    }

    /// The limits that nodes share.
    package var shared: [any SharedLimit] { [networks, links] }

    /// Counts a tick.
    ///
    /// - Parameters:
    ///   - token: The token of the link. Only its hash is kept.
    ///   - network: The network of the browser.
    ///   - now: The server's uptime.
    /// - Throws: ``ServerError`` with the code `tooFast` if the network or the link has reached its limit.
    package func pass(_ token: String, from network: ClientNetwork, at now: Duration) throws(ServerError) {
        let (link, visitor) = (Secret.sha256(token), Secret.sha256("\(token) \(network.text)"))
        guard let wait = networks.take(from: visitor, at: now) ?? links.take(from: link, at: now) else { return }
        throw ServerError(
            .tooFast, "Too many ticks. Wait \(Duration.seconds(wait.wholeSeconds).words), then try again.",
            retryAfter: wait)
    }
}
