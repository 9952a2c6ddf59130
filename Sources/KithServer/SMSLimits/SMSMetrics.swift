package import Metrics

/// The metrics of refused SMS and paused prefixes.
package struct SMSMetrics: Sendable {
    private let refused: [String: Counter]
    private let paused: Meter

    /// The metrics in `factory`. Each counter is shown as 0 before it first counts.
    package init(_ factory: any MetricsFactory) {
        refused = Dictionary(
            uniqueKeysWithValues: SMSRefusal.names.map {
                ($0, Counter(label: "kith_sms_refused", dimensions: [("reason", $0)], factory: factory))
            })
        paused = Meter(label: "kith_sms_paused_prefixes", factory: factory)
    }

    func count(_ refusal: SMSRefusal) { refused[refusal.name]?.increment() }

    func paused(_ count: Int) { paused.set(count) }
}
