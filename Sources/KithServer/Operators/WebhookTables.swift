import Foundation
import KithModel

/// The tables of webhooks and of their newest events, on the operator's page of deliveries.
///
/// The path of an address may have a secret, so that only the server is shown.
package struct WebhookTables: Sendable {
    /// The number of events that are shown.
    package static let size = 50

    private let webhooks: [Webhook]
    private let deliveries: [WebhookDelivery]

    /// The tables of webhooks, and of their newest events.
    package init(_ webhooks: [Webhook], _ deliveries: [WebhookDelivery]) {
        (self.webhooks, self.deliveries) = (webhooks, deliveries)
    }

    /// The values of the page.
    var values: [String: PageValue] {
        [
            "hasWebhooks": .flag(!webhooks.isEmpty), "webhooks": .rows(webhooks.map { row($0) }),
            "hasEvents": .flag(!deliveries.isEmpty), "events": .rows(deliveries.map { row($0) }),
            "canSendAgain": .flag(deliveries.contains { $0.state != .waiting }),
        ]
    }

    private func row(_ webhook: Webhook) -> [String: PageValue] {
        var values: [String: PageValue] = [
            "id": .text(webhook.id.description), "address": .text(Self.server(of: webhook)),
            "kinds": .text(webhook.kinds.map(\.type).joined(separator: ", ")),
            "stateText": .phrase("deliveries.\(webhook.state.rawValue)"), "waiting": .number(webhook.waiting),
            "failed": .number(webhook.failed), "canResume": .flag(webhook.state != .active),
        ]
        values["programme"] = webhook.programme.map(PageValue.text) ?? .phrase("operator.all")
        values["detail"] = webhook.detail.map(PageValue.text)
        switch webhook.state {
        case .active: values["badge"] = .text(webhook.failures == 0 ? "good" : "held")
        case .paused: values["badge"] = .text("held")
        case .failing, .gone: values["badge"] = .text("bad")
        }
        return values
    }

    private func row(_ delivery: WebhookDelivery) -> [String: PageValue] {
        let webhook = webhooks.first { $0.id == delivery.webhook }
        var values: [String: PageValue] = [
            "id": .text(delivery.id.description), "created": .moment(delivery.created),
            "kind": .text(delivery.kind.type), "address": .text(webhook.map(Self.server) ?? "–"),
            "stateText": .phrase("deliveries.\(delivery.state.rawValue)"), "attempts": .number(delivery.attempts),
            "hasEnded": .flag(delivery.state != .waiting),
        ]
        values["next"] = delivery.due.map(PageValue.moment)
        values["detail"] = delivery.detail.map(PageValue.text)
        switch delivery.state {
        case .waiting: values["badge"] = .text("held")
        case .delivered: values["badge"] = .text("good")
        case .failed: values["badge"] = .text("bad")
        }
        return values
    }

    /// The host of the address, and the port if it has one.
    private static func server(of webhook: Webhook) -> String {
        guard let parts = URLComponents(string: webhook.url), let host = parts.host else { return "–" }
        return host + (parts.port.map { ":\($0)" } ?? "")
    }
}
