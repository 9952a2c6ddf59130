import Foundation
import KithModel
import Logging
import NIOCore
import Synchronization

/// Every open connection, and what all of them together may hold.
///
/// A shell around three ``FairShare``s: of connections, by the peer's address; and of bytes that wait to be written, and
/// of bytes of bodies, by the client's address. Behind a trusted proxy the peer is the proxy, which is not counted, and
/// the client's address is the one that the proxy names.
final class Connections: Sendable {
    private struct State {
        var connections: FairShare<IPAddress>
        var unwritten: FairShare<IPAddress>
        var bodies: FairShare<IPAddress>
        var open: [ObjectIdentifier: Connection] = [:]
        var hasNamedProxy = false
    }

    let limits: ServerLimits
    let shutdownGrace: Duration
    /// What each connection is held to.
    let watch: ConnectionWatch.Limits
    let clock: ServerClock
    private let trustedProxies: [AddressRange]
    private let metrics: ServerMetrics
    private let logger: Logger
    private let state: Mutex<State>

    init(_ configuration: ServerConfiguration, clock: ServerClock, metrics: ServerMetrics, logger: Logger) {
        self.clock = clock
        self.logger = logger
        limits = configuration.limits
        watch = ConnectionWatch.Limits(
            idle: configuration.idle, requestTime: limits.bodyTime, drained: limits.drained,
            unwritten: limits.unwrittenOfConnection, window: limits.readingWindow, slowest: limits.slowestReader)
        shutdownGrace = configuration.shutdownGrace
        trustedProxies = configuration.trustedProxies
        self.metrics = metrics
        state = Mutex(
            State(
                connections: FairShare(
                    total: min(limits.connectionsAtOnce, Self.room), each: limits.connectionsOfAddress),
                unwritten: FairShare(total: limits.unwrittenInAll, each: limits.unwrittenOfAddress),
                bodies: FairShare(total: limits.bodiesInAll, each: limits.bodiesOfAddress)))
    }

    /// How many connections are open.
    var count: Int { state.withLock { $0.open.count } }

    /// How many bytes wait to be written.
    var unwritten: Int { state.withLock { $0.unwritten.used } }

    /// How many bytes of bodies are received or worked on.
    var bodies: Int { state.withLock { $0.bodies.used } }

    /// A connection that was let in; nil if its peer has too many.
    func open(_ channel: any Channel) -> Connection? {
        let peer = Self.address(of: channel)
        let isCounted = !trustedProxies.contains { $0.contains(peer) }
        let household = isCounted ? peer.household : nil
        let connection = Connection(peer: peer, counted: household)
        return state.withLock { state in
            if let household, !state.connections.take(by: household) { return nil }
            state.open[ObjectIdentifier(channel)] = connection
            return connection
        }
    }

    /// A connection has gone.
    func close(_ channel: any Channel) {
        state.withLock { state in
            guard let connection = state.open.removeValue(forKey: ObjectIdentifier(channel)) else { return }
            if let household = connection.counted { state.connections.giveBack(by: household) }
        }
    }

    /// The connection of a channel, while it is open.
    func connection(of channel: any Channel) -> Connection? {
        state.withLock { $0.open[ObjectIdentifier(channel)] }
    }

    /// Counts bytes that wait to be written to a client, and says whether there was room for them.
    func queue(_ bytes: Int, for client: IPAddress) -> Bool {
        state.withLock { $0.unwritten.take(bytes, by: client) }
    }

    /// Counts bytes out.
    func written(_ bytes: Int, for client: IPAddress) {
        state.withLock { $0.unwritten.giveBack(bytes, by: client) }
    }

    /// Counts bytes of a body, and says whether there was room for them.
    func receive(_ bytes: Int, of client: IPAddress) -> Bool {
        state.withLock { $0.bodies.take(bytes, by: client) }
    }

    /// Counts bytes of a body out.
    func forget(_ bytes: Int, of client: IPAddress) {
        state.withLock { $0.bodies.giveBack(bytes, by: client) }
    }

    /// The client that a request comes from, as far as the proxies between are trusted.
    func client(of peer: IPAddress, forwarded: [String]) -> IPAddress {
        if !forwarded.isEmpty { nameProxy(peer) }
        return AddressRange.client(peer: peer, forwarded: forwarded, trusted: trustedProxies)
    }

    /// Says once that there seems to be a proxy that is not trusted. From the Internet anybody may send its header.
    private func nameProxy(_ peer: IPAddress) {
        guard peer.isPrivate, !trustedProxies.contains(where: { $0.contains(peer) }) else { return }
        let isFirst = state.withLock { state in
            defer { state.hasNamedProxy = true }
            return !state.hasNamedProxy
        }
        guard isFirst else { return }
        logger.warning(
            """
            A proxy at \(peer) is not trusted: all its clients share the limits of one address. If it is yours, start the \
            server with --trusted-proxy \(peer).
            """)
    }

    /// A connection is closed because of what its client does.
    func closing(_ reason: ClosingReason) { metrics.closedConnection(reason) }

    /// How many connections the process can have open, beside its own files.
    private static var room: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return max(64, Int(clamping: limit.rlim_cur) - 200)
    }

    /// The peer of a channel.
    static func address(of channel: any Channel) -> IPAddress {
        channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) } ?? .unknown
    }
}

extension IPAddress {
    /// Stands for a peer whose address cannot be told; all such share one bucket.
    static let unknown = IPAddress(bytes: [0, 0, 0, 0])
}
