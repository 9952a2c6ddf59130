import Foundation
import KithModel
import Logging
import NIOCore
import Synchronization

/// All open connections, and the limits of what they use together.
///
/// A wrapper of three ``FairShare``s: connections, by the peer's address; bytes that wait to be written, and bytes of
/// bodies, both by the client's address. Behind a trusted proxy, the peer is the proxy, which is not counted, and the
/// client's address is the one that the proxy reports.
final class Connections: Sendable {
    private struct State {
        var connections: FairShare<IPAddress>
        var unwritten: FairShare<IPAddress>
        var bodies: FairShare<IPAddress>
        var open: [ObjectIdentifier: Connection] = [:]
        var loops: [ObjectIdentifier: (loop: any EventLoop, connections: NIOLoopBound<LoopConnections>)] = [:]
        var hasNamedProxy = false
        var hasNamedEntry = false
    }

    let limits: ServerLimits
    let shutdownGrace: Duration
    /// The limits of each connection.
    let watch: ConnectionWatch.Limits
    let clock: ServerClock
    private let trustedProxies: [AddressRange]
    private let metrics: ServerMetrics
    private let logger: Logger
    /// Called when a connection has closed.
    private let whenClosed: @Sendable () -> Void
    private let state: Mutex<State>

    init(
        _ limits: ServerLimits, idle: Duration, shutdownGrace: Duration, trustedProxies: [AddressRange],
        clock: ServerClock, metrics: ServerMetrics, logger: Logger, whenClosed: @escaping @Sendable () -> Void
    ) {
        self.limits = limits
        self.shutdownGrace = shutdownGrace
        self.trustedProxies = trustedProxies
        self.clock = clock
        self.logger = logger
        self.whenClosed = whenClosed
        watch = ConnectionWatch.Limits(
            idle: idle, requestTime: limits.bodyTime, drained: limits.drained,
            unwritten: limits.unwrittenOfConnection, window: limits.readingWindow, slowest: limits.slowestReader)
        self.metrics = metrics
        state = Mutex(
            State(
                connections: FairShare(
                    total: min(limits.connectionsAtOnce, Self.room), each: limits.connectionsOfAddress),
                unwritten: FairShare(total: limits.unwrittenInAll, each: limits.unwrittenOfAddress),
                bodies: FairShare(total: limits.bodiesInAll, each: limits.bodiesOfAddress)))
    }

    /// The number of open connections.
    var count: Int { state.withLock { $0.open.count } }

    /// The number of bytes that wait to be written.
    var unwritten: Int { state.withLock { $0.unwritten.used } }

    /// The number of bytes of bodies that are being received or processed.
    var bodies: Int { state.withLock { $0.bodies.used } }

    /// Registers a new connection. Returns nil if its peer or the server has too many.
    func open(_ channel: any Channel) -> Connection? {
        let peer = Self.address(of: channel)
        let isCounted = !trustedProxies.contains { $0.contains(peer) }
        let limitedAddress = isCounted ? peer.limitedAddress : nil
        let connection = Connection(peer: peer, counted: limitedAddress)
        return state.withLock { state in
            if let limitedAddress, !state.connections.take(by: limitedAddress) { return nil }
            state.open[ObjectIdentifier(channel)] = connection
            return connection
        }
    }

    /// Removes a closed connection.
    func close(_ channel: any Channel) {
        state.withLock { state in
            guard let connection = state.open.removeValue(forKey: ObjectIdentifier(channel)) else { return }
            if let limitedAddress = connection.counted { state.connections.giveBack(by: limitedAddress) }
        }
        whenClosed()
    }

    /// The connection of a channel, while it is open.
    func connection(of channel: any Channel) -> Connection? {
        state.withLock { $0.open[ObjectIdentifier(channel)] }
    }

    /// The connections of an event loop, on which the caller runs.
    func loop(_ loop: any EventLoop) -> LoopConnections {
        state.withLock { state in
            if let known = state.loops[ObjectIdentifier(loop)] { return known.connections }
            let connections = NIOLoopBound(LoopConnections(on: loop, every: pause), eventLoop: loop)
            state.loops[ObjectIdentifier(loop)] = (loop, connections)
            return connections
        }.value
    }

    /// How often connections are judged.
    private var pause: TimeAmount {
        let step = min(watch.idle, watch.requestTime, watch.window) / 4
        return TimeAmount(min(max(step, .milliseconds(20)), .seconds(5)))
    }

    /// Writes a heartbeat into each event stream.
    func beat() {
        for (loop, connections) in state.withLock({ Array($0.loops.values) }) {
            loop.execute { connections.value.beat() }
        }
    }

    /// Counts bytes that wait to be written to a client. Returns false if that would be too many.
    func queue(_ bytes: Int, for client: IPAddress) -> Bool {
        state.withLock { $0.unwritten.take(bytes, by: client) }
    }

    /// Stops counting written bytes.
    func written(_ bytes: Int, for client: IPAddress) {
        state.withLock { $0.unwritten.giveBack(bytes, by: client) }
    }

    /// Counts bytes of a body. Returns false if that would be too many.
    func receive(_ bytes: Int, of client: IPAddress) -> Bool {
        state.withLock { $0.bodies.take(bytes, by: client) }
    }

    /// Stops counting bytes of a body.
    func forget(_ bytes: Int, of client: IPAddress) {
        state.withLock { $0.bodies.giveBack(bytes, by: client) }
    }

    /// The client that a request comes from, according to the trusted proxies in between.
    func client(of peer: IPAddress, forwarded: [String]) -> IPAddress {
        if !forwarded.isEmpty { nameProxy(peer) }
        let client = AddressRange.client(peer: peer, forwarded: forwarded, trusted: trustedProxies)
        if let entry = client.unreadable { nameEntry(entry, after: client.address) }
        return client.address
    }

    /// Logs once that there seems to be an untrusted proxy. A public peer is not reported, because anybody can send
    /// the header.
    private func nameProxy(_ peer: IPAddress) {
        guard peer.isPrivate, !trustedProxies.contains(where: { $0.contains(peer) }), isFirst(\.hasNamedProxy) else {
            return
        }
        logger.warning(
            """
            A proxy at \(peer) is not trusted: all its clients share the limits of one address. If it is yours, start the \
            server with --trusted-proxy \(peer).
            """)
    }

    /// Logs once that a trusted proxy sends something else than addresses.
    private func nameEntry(_ entry: String, after proxy: IPAddress) {
        guard isFirst(\.hasNamedEntry) else { return }
        logger.warning(
            """
            The proxy at \(proxy) sends “\(entry.prefix(60))” in X-Forwarded-For, which is no address: its clients share the \
            limits of one address. Configure it to send addresses.
            """)
    }

    /// Whether this is the first call for a flag.
    private func isFirst(_ flag: WritableKeyPath<State, Bool>) -> Bool {
        state.withLock { state in
            defer { state[keyPath: flag] = true }
            return !state[keyPath: flag]
        }
    }

    /// Counts a connection that is closed because of its client.
    func closing(_ reason: ClosingReason) { metrics.closedConnection(reason) }

    /// The number of connections that the process can have open besides its own files.
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
    /// Stands for every peer whose address is unknown. They share one rate limit.
    static let unknown = IPAddress(bytes: [0, 0, 0, 0])
}
