/// Sends requests to webhooks.
package protocol WebhookTransport: Sendable {
    /// Sends a request, and says how it was answered.
    func send(_ request: WebhookRequest) async -> WebhookOutcome

    /// Closes what is open to a webhook, because nothing is sent to it for some time.
    func rest(_ webhook: Webhook.ID) async
}
