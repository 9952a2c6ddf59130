import KithModel

/// Sends emails to the owner of an account about changes of the account that another person may have made.
///
/// A message is added in the transaction of the change. It is in the language of the account's profile, because whoever
/// makes the change must not choose a language that the owner cannot read.
struct AccountNotices: Sendable {
    /// The number of emails of an account that receive a notice: the oldest.
    static let recipients = 5

    /// A way in that was added to an account.
    enum WayIn {
        case passkey(name: String)
        /// An identity at the issuer with this name.
        case issuer(name: String)
        /// A number or an email.
        case identity(Identity)

        /// The values for the templates of ``MessageKind/wayIn``.
        fileprivate var values: [String: String] {
            switch self {
            case .passkey(let name): ["passkey": MessageComposer.line(name) ?? ""]
            case .issuer(let name): ["issuer": MessageComposer.line(name) ?? ""]
            case .identity(let identity): ["address": MessageComposer.line(identity.shown) ?? ""]
            }
        }
    }

    private let messages: MessageQueue
    private let random: RandomBytes

    init(messages: MessageQueue, random: RandomBytes) {
        (self.messages, self.random) = (messages, random)
    }

    /// Wakes the delivery after the commit.
    func wake() { messages.wake() }

    /// Adds the notice that a device was added to the account, for the oldest emails of the account.
    ///
    /// - Parameters:
    ///   - device: The name of the device; nil if it has none.
    ///   - address: The address of the device.
    ///   - account: The account.
    ///   - now: The server's time.
    ///   - transaction: The transaction of the change.
    /// - Throws: ``ServerError`` if the message cannot be composed.
    func deviceAdded(
        _ device: String?, at address: String, to account: AccountID, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        try tell(account, .device, ["device": device ?? "", "place": address], at: now, in: transaction)
    }

    /// Adds the notice that ways in were added to the account, for the oldest emails of the account. An email that was
    /// just added gets none: call this before it is stored.
    func added(
        _ ways: [WayIn], from address: String, to account: AccountID, at now: Timestamp, in transaction: any Transaction
    ) throws {
        guard !ways.isEmpty else { return }
        let values = ways.reduce(into: ["place": address]) { values, way in values.merge(way.values) { $1 } }
        try tell(account, .wayIn, values, at: now, in: transaction)
    }

    /// Adds the notice that recovery codes of the account were made or, if `values` has `left`, that one was used, for the
    /// oldest emails of the account.
    ///
    /// - Parameters:
    ///   - values: The values for the templates.
    ///   - languages: The languages for an account whose profile has none, best first. Only its owner may choose them.
    ///   - account: The account.
    ///   - now: The server's time.
    ///   - transaction: The transaction of the change.
    /// - Throws: ``ServerError`` if the message cannot be composed.
    func recoveryCodes(
        _ values: [String: String], or languages: [String] = [], of account: AccountID, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        try tell(account, .recovery, values, or: languages, at: now, in: transaction)
    }

    /// Adds the notice that an email was removed from the account, for that email. A removed number gets no notice,
    /// because an SMS costs money.
    func removed(
        _ identity: Identity, from address: String, of account: AccountID, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        guard identity.isEmail else { return }
        try add(
            .identity, ["address": MessageComposer.line(identity.shown) ?? "", "place": address], to: identity,
            of: account, at: now, in: transaction)
    }

    private func tell(
        _ account: AccountID, _ kind: MessageKind, _ values: [String: String], or languages: [String] = [],
        at now: Timestamp, in transaction: any Transaction
    ) throws {
        for email in try IdentityRegister(at: now).oldestEmails(of: account, Self.recipients, in: transaction) {
            try add(kind, values, to: email, or: languages, of: account, at: now, in: transaction)
        }
    }

    /// If the limits of messages stop the notice, the change is made all the same.
    private func add(
        _ kind: MessageKind, _ values: [String: String], to email: Identity, or languages: [String] = [],
        of account: AccountID, at now: Timestamp, in transaction: any Transaction
    ) throws {
        let profile = try RecordRow.read([.profile(of: account)], in: transaction)[.profile(of: account)]
        let own = (profile?.state.fields["language"]?.text).map { [$0] } ?? []
        try messages.add(
            OutgoingMessage(
                id: MessageID(at: now, random: random), channel: .email, recipient: email.shown,
                kind: kind, languages: own + languages, values: values, canUnsubscribe: false), at: now,
            in: transaction)
    }
}

extension Identity {
    /// Whether it is an email.
    var isEmail: Bool { if case .email = self { true } else { false } }
}
