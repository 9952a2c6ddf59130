package import KithModel

/// A request to a webhook: an event with its signatures.
package struct WebhookRequest: Hashable, Sendable {
    package let webhook: Webhook.ID
    package let address: WebhookAddress
    /// The id of the event. It stays the same if the event is sent again.
    package let id: RecordID<WebhookDelivery>
    /// When it is sent, in seconds since 1970.
    package let seconds: Int64
    /// The signatures, with a space between them.
    package let signatures: String
    /// The JSON text.
    package let body: String
}
