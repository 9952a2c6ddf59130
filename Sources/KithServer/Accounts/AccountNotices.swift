import KithModel

/// Sends emails to the owner of an account about changes of the account that another person may have made.
///
/// A message is added in the transaction of the change.
struct AccountNotices: Sendable {
    /// The number of emails of an account that receive a notice: the oldest.
    static let recipients = 5

    private let messages: MessageQueue
    private let random: @Sendable () -> [UInt8]

    init(messages: MessageQueue, random: @escaping @Sendable () -> [UInt8]) {
        (self.messages, self.random) = (messages, random)
    }

    /// Wakes the delivery after the commit.
    func wake() { messages.wake() }

    /// Adds the notice that a device was added to the account, for the oldest emails of the account.
    ///
    /// - Parameters:
    ///   - device: The name of the device; nil if it has none.
    ///   - place: Where the device is: its address.
    ///   - account: The account.
    ///   - now: The server's time.
    ///   - transaction: The transaction of the change.
    /// - Throws: ``ServerError`` if the message cannot be composed.
    func deviceAdded(
        _ device: String?, at place: String, to account: AccountID, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        for email in try IdentityRegister(at: now).oldestEmails(of: account, Self.recipients, in: transaction) {
            try add(
                .device, ["device": device ?? "", "place": place], to: email, of: account, at: now, in: transaction)
        }
    }

    /// Adds the notice that an email was removed from the account, for that email. A removed number gets no notice,
    /// because an SMS costs money.
    func removed(
        _ identity: Identity, from place: String, of account: AccountID, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        guard identity.isEmail else { return }
        try add(
            .identity, ["address": MessageComposer.line(identity.shown) ?? "", "place": place], to: identity,
            of: account, at: now, in: transaction)
    }

    /// If the limits of messages stop the notice, the change is made all the same.
    private func add(
        _ kind: MessageKind, _ values: [String: String], to email: Identity, of account: AccountID,
        at now: Timestamp, in transaction: any Transaction
    ) throws {
        let profile = try RecordRow.read([.profile(of: account)], in: transaction)[.profile(of: account)]
        try messages.add(
            OutgoingMessage(
                id: MessageID(at: now, random: random), channel: .email, recipient: email.shown,
                kind: kind, languages: (profile?.state.fields["language"]?.text).map { [$0] } ?? [], values: values,
                canUnsubscribe: false), at: now, in: transaction)
    }
}

extension Identity {
    /// Whether it is an email.
    var isEmail: Bool { if case .email = self { true } else { false } }
}
