import HTTPTypes
import KithModel
import Metrics

/// The metrics of a server.
final class ServerMetrics: Sendable {
    let registry: PrometheusRegistry
    private let rereads: Counter
    private let streams: Meter
    private let running: Meter
    private let connections: Meter
    private let unwritten: Meter
    private let bodies: Meter
    private let waiting: Meter
    // The registry finds a series by its text. That takes longer than some answers, so the series of each request are
    // found once.
    private let requests = Memo<Kind, Counter>(most: 2_000)
    private let times = Memo<String, Timer>(most: 500)
    private let rounds = Memo<DeviceStanding, Counter>(most: 10)
    private let mutations = Memo<MutationOutcome.Result, Counter>(most: 10)
    /// Created at the start, so that each reason is shown as 0 before it first occurs.
    private let closed: [ClosingReason: Counter]

    /// What the requests of a counter have in common.
    private struct Kind: Hashable {
        let operation: String
        let status: Int
    }

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        rereads = Counter(label: "kith_rereads", factory: registry)
        streams = Meter(label: "kith_live_streams", factory: registry)
        running = Meter(label: "kith_requests_running", factory: registry)
        connections = Meter(label: "kith_connections", factory: registry)
        unwritten = Meter(label: "kith_unwritten_bytes", factory: registry)
        bodies = Meter(label: "kith_body_bytes", factory: registry)
        waiting = Meter(label: "kith_heavy_waiting", factory: registry)
        closed = Dictionary(
            uniqueKeysWithValues: ClosingReason.allCases.map { reason in
                let dimensions = [("reason", reason.rawValue)]
                return (reason, Counter(label: "kith_connections_closed", dimensions: dimensions, factory: registry))
            })
        _ = Self.commits(registry)
        for (name, help) in Self.meanings { registry.describe(name, help) }
    }

    func answered(_ operation: String, _ status: HTTPResponse.Status, after duration: Duration) {
        requests.value(for: Kind(operation: operation, status: status.code)) { [registry] in
            let dimensions = [("operation", operation), ("status", String(status.code))]
            return Counter(label: "kith_requests", dimensions: dimensions, factory: registry)
        }.increment()
        times.value(for: operation) { [registry] in
            Timer(label: "kith_request", dimensions: [("operation", operation)], factory: registry)
        }.record(duration: duration)
    }

    func synced(_ request: SyncRequest, _ answer: SyncAnswer) {
        rounds.value(for: answer.device) { [registry] in
            Counter(
                label: "kith_sync_rounds", dimensions: [("device", answer.device.rawValue)], factory: registry)
        }.increment()
        if let count = request.reread?.count, count > 0 { rereads.increment(by: count) }
        guard answer.device == .recognised else { return }
        for outcome in answer.outcomes { count(1, outcome.result) }
        // Acknowledged mutations without an outcome were applied.
        count(request.mutations.count - answer.outcomes.count, .applied)
    }

    private func count(_ number: Int, _ result: MutationOutcome.Result) {
        guard number > 0 else { return }
        mutations.value(for: result) { [registry] in
            Counter(label: "kith_mutations", dimensions: [("result", result.rawValue)], factory: registry)
        }.increment(by: number)
    }

    func streams(_ count: Int) { streams.set(count) }
    func running(_ count: Int) { running.set(count) }
    func connections(_ count: Int, unwritten: Int, bodies: Int) {
        connections.set(count)
        self.unwritten.set(unwritten)
        self.bodies.set(bodies)
    }
    func waiting(_ count: Int) { waiting.set(count) }

    /// Shows the kind of the database, as a label of a series whose value is 1.
    func database(_ kind: String) {
        Meter(label: "kith_database", dimensions: [("kind", kind)], factory: registry).set(Double(1))
    }

    /// Counts a connection that is closed because of its client.
    func closedConnection(_ reason: ClosingReason) { closed[reason]?.increment() }

    /// The number of commits of the database. It starts at 0, even if the database does not count its commits.
    static func commits(_ registry: PrometheusRegistry) -> Counter {
        Counter(label: "kith_commits", factory: registry)
    }

    private static let meanings = [
        "kith_requests_total": "Requests by operation and status.",
        "kith_request_seconds": "Time to make an answer, by operation.",
        "kith_requests_running": "Requests without a complete answer.",
        "kith_connections": "Open connections.",
        "kith_connections_closed_total": "Connections that the server closed, by reason.",
        "kith_unwritten_bytes": "Bytes of answers that clients have not read yet.",
        "kith_body_bytes": "Bytes of request bodies that are being received or processed.",
        "kith_heavy_waiting": "Large requests that wait to begin.",
        "kith_sync_rounds_total": "Rounds, by whether the device was recognised.",
        "kith_mutations_total": "Answered mutations, by result; repeated ones count again.",
        "kith_rereads_total": "Feeds that a device reread because its digest differed.",
        "kith_live_streams": "Open live streams.",
        "kith_commits_total": "Commits to the database.",
        "kith_writes_total": "Writes to the database; several writes can share one commit.",
        "kith_messages_total": "Messages by channel and event.",
        "kith_sms_refused_total": "SMS that were not sent, by reason.",
        "kith_sms_paused_prefixes": "Prefixes of numbers that get no SMS until they are released: kith admin sms.",
        "kith_database": "1, with the kind of the database.",
        "kith_database_errors_total": "Reads and writes that failed in the database.",
    ]
}
