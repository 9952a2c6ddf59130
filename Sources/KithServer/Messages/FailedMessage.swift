package import KithModel

/// A message that does not reach its recipient, for the one who queued it.
package struct FailedMessage: Hashable, Sendable {
    package let id: MessageID
    package let kind: MessageKind
    package let sender: AccountID?
    package let failure: MessageFailure

    package init(id: MessageID, kind: MessageKind, sender: AccountID?, failure: MessageFailure) {
        self.id = id
        self.kind = kind
        self.sender = sender
        self.failure = failure
    }
}
