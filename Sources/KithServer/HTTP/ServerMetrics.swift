import HTTPTypes
import KithModel
import Metrics

/// What a server measures of itself.
struct ServerMetrics: Sendable {
    let registry: PrometheusRegistry
    private let rereads: Counter
    private let streams: Meter
    private let running: Meter

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        rereads = Counter(label: "kith_rereads", factory: registry)
        streams = Meter(label: "kith_live_streams", factory: registry)
        running = Meter(label: "kith_requests_running", factory: registry)
        for (name, help) in Self.meanings { registry.describe(name, help) }
    }

    func answered(_ endpoint: Endpoint?, _ status: HTTPResponse.Status, after duration: Duration) {
        let operation = endpoint?.name ?? "none"
        let dimensions = [("operation", operation), ("status", String(status.code))]
        Counter(label: "kith_requests", dimensions: dimensions, factory: registry).increment()
        Timer(label: "kith_request", dimensions: [("operation", operation)], factory: registry).record(
            duration: duration)
    }

    func synced(_ request: SyncRequest, _ answer: SyncAnswer) {
        Counter(label: "kith_sync_rounds", dimensions: [("device", answer.device.rawValue)], factory: registry)
            .increment()
        if let count = request.reread?.count, count > 0 { rereads.increment(by: count) }
        guard answer.device == .recognised else { return }
        var counts: [MutationOutcome.Result: Int] = [:]
        for outcome in answer.outcomes { counts[outcome.result, default: 0] += 1 }
        // What is acknowledged and not named was applied.
        counts[.applied, default: 0] += max(0, request.mutations.count - answer.outcomes.count)
        for (result, count) in counts where count > 0 {
            Counter(label: "kith_mutations", dimensions: [("result", result.rawValue)], factory: registry)
                .increment(by: count)
        }
    }

    func streams(_ count: Int) { streams.set(count) }
    func running(_ count: Int) { running.set(count) }

    private static let meanings = [
        "kith_requests_total": "Requests by operation and status.",
        "kith_request_seconds": "How long an answer took to make, by operation.",
        "kith_requests_running": "Requests that wait for their answer.",
        "kith_sync_rounds_total": "Rounds, by whether the device was recognised.",
        "kith_mutations_total": "Mutations answered, by what became of them; repeated ones count again.",
        "kith_rereads_total": "Feeds that a device reread, because its digest differed.",
        "kith_live_streams": "Open live streams.",
        "kith_commits_total": "Commits to the database.",
        "kith_writes_total": "Writes to the database, of which one commit gathers several.",
        "kith_database_errors_total": "Reads and writes that the database failed at.",
    ]
}
