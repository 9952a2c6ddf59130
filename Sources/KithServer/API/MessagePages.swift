/// The dependencies of the operations for the recipients of messages and for the SMS provider.
struct MessagePages: Sendable {
    let unsubscribing: Unsubscribing
    let status: MessageStatus
}
