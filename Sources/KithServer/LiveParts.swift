/// The parts that count and limit what is open: requests, connections and live streams.
struct LiveParts: Sendable {
    let gate: Gate
    let tickLimits: TickLimits
    let connections: Connections
    let hub: LiveHub
    /// The open pages of public links.
    let listStreams: ListStreams
    /// Waits for the end of the streams when the server stops.
    let ending: StreamsEnding

    /// The parts of a server; `link` connects it with the other nodes, if there are any.
    init(_ dependencies: ServerDependencies, _ link: NodeLink?, metrics: ServerMetrics) {
        let (configuration, clock) = (dependencies.configuration, dependencies.clock)
        let limits = configuration.limits
        let bell = Bell()
        let connections = Connections(
            limits, idle: configuration.idle, shutdownGrace: configuration.shutdownGrace,
            trustedProxies: configuration.trustedProxies, clock: clock, metrics: metrics, logger: dependencies.logger,
            whenClosed: bell.ring)
        let hub = LiveHub(
            streamsOfSession: limits.streamsOfSession, streamsAtOnce: limits.streamsAtOnce, clock: clock,
            node: link?.node, whenUntold: { link?.ring() }, whenRemoved: bell.ring)
        let listStreams = ListStreams(whenRemoved: bell.ring)
        gate = Gate(limits, clock: clock, isShared: link != nil)
        tickLimits = TickLimits(isShared: link != nil)
        (self.connections, self.hub, self.listStreams) = (connections, hub, listStreams)
        ending = StreamsEnding(bell: bell) { connections.count + hub.count + listStreams.count == 0 }
    }
}
