package import Metrics

/// The metrics of webhooks.
package struct WebhookMetrics: Sendable {
    private let counters: [Event: Counter]

    /// The counted steps of an event.
    package enum Event: String, CaseIterable, Sendable {
        case delivered, failed, retried
    }

    /// The metrics in `factory`. Each counter is shown as 0 before it first counts.
    package init(_ factory: any MetricsFactory) {
        let pairs = Event.allCases.map { event in
            (event, Counter(label: "kith_webhooks", dimensions: [("event", event.rawValue)], factory: factory))
        }
        counters = Dictionary(uniqueKeysWithValues: pairs)
    }

    func count(_ event: Event) { counters[event]?.increment() }
}
