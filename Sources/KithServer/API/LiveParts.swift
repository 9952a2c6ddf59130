/// The parts that count and limit what is open: requests, connections and live streams.
struct LiveParts: Sendable {
    let gate: Gate
    /// The queue of large requests.
    let work: HeavyWork
    let tickLimits: TickLimits
    let connections: Connections
    let hub: LiveHub
    /// The open pages of public links.
    let listStreams: ListStreams
    /// Waits for the end of the streams when the server stops.
    let ending: StreamsEnding
}
