package import Metrics

/// The metrics of the delivery, by channel.
package struct MessageMetrics: Sendable {
    private let counters: [String: Counter]

    /// The counted steps of a message.
    package enum Event: String, CaseIterable {
        case queued, sent, failed, retried
    }

    /// The metrics in `factory`. Each counter is shown as 0 before it first counts.
    package init(_ factory: any MetricsFactory) {
        let pairs = OutgoingMessage.Channel.allCases.flatMap { channel in
            Event.allCases.map { event in
                (
                    Self.name(event, channel),
                    Counter(
                        label: "kith_messages", dimensions: [("channel", channel.rawValue), ("event", event.rawValue)],
                        factory: factory)
                )
            }
        }
        counters = Dictionary(uniqueKeysWithValues: pairs)
    }

    func count(_ event: Event, _ channel: OutgoingMessage.Channel) { counters[Self.name(event, channel)]?.increment() }

    private static func name(_ event: Event, _ channel: OutgoingMessage.Channel) -> String {
        "\(channel.rawValue) \(event.rawValue)"
    }
}
