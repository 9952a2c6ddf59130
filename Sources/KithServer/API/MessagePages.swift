/// The dependencies of the operations for the recipients of messages and for the SMS provider.
struct MessagePages: Sendable {
    /// The name of the service in pages.
    let service: String
    let unsubscribing: Unsubscribing
    let status: MessageStatus
}
