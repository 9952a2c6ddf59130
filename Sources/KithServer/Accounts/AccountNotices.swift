import KithModel

/// Tells the owner of an account by email what has changed about the account, because somebody else may have changed it.
///
/// The messages are added in the transaction of the change.
struct AccountNotices: Sendable {
    /// The emails of an account that receive a notice, in their order. Further ones receive none.
    static let recipients = 5

    private let messages: MessageQueue
    private let random: @Sendable () -> [UInt8]

    init(messages: MessageQueue, random: @escaping @Sendable () -> [UInt8]) {
        (self.messages, self.random) = (messages, random)
    }

    /// Wakes the delivery after the commit.
    func wake() { messages.wake() }

    /// A device was added to the account. Its proved emails are told.
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
        let emails = try IdentityRegister(at: now).identities(of: account, in: transaction).filter(\.isEmail)
        for email in emails.prefix(Self.recipients) {
            try add(
                .device, ["device": device ?? "", "place": place], to: email, of: account, at: now, in: transaction)
        }
    }

    /// An email was removed from the account. It is told itself. A number is not told, because an SMS costs money.
    func removed(
        _ identity: Identity, by place: String, of account: AccountID, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        guard identity.isEmail else { return }
        try add(
            .identity, ["address": identity.shown, "place": place], to: identity, of: account, at: now, in: transaction)
    }

    /// The message is not sent if too many went to the recipient today. The change is made all the same.
    private func add(
        _ kind: MessageKind, _ values: [String: String], to email: Identity, of account: AccountID,
        at now: Timestamp, in transaction: any Transaction
    ) throws {
        let profile = try RecordRow.read([.profile(of: account)], in: transaction)[.profile(of: account)]
        var generator = ByteRandomness(random)
        try messages.add(
            OutgoingMessage(
                id: MessageID(.version7(time: now, using: &generator)), channel: .email, recipient: email.shown,
                kind: kind, languages: (profile?.state.fields["language"]?.text).map { [$0] } ?? [], values: values,
                canUnsubscribe: false), at: now, in: transaction)
    }
}

extension Identity {
    /// Whether it is an email.
    var isEmail: Bool { if case .email = self { true } else { false } }
}
