import KithModel

/// What a message is for. Each kind has a template in each language.
package enum MessageKind: String, CaseIterable, Sendable {
    /// A code that proves a number or an email.
    case code
    /// A person invites another to the service or to a list.
    case invitation
    /// A person shares something in a programme.
    case share
    /// An invited person has joined the service.
    case joined
    /// Recovery codes of the account were made; if `left` is given, one was used.
    case recovery
    /// A device was added to the recipient's account.
    case device
    /// The recipient's address was removed from an account.
    case identity
    /// A way in was added to the recipient's account: a passkey, an identity at an issuer, an email or a number.
    case wayIn = "wayin"

    /// The names of the values that its templates may use. ``MessageComposer`` adds `service` and `unsubscribe`.
    package var values: Set<String> {
        switch self {
        case .code: ["code", "device", "place", "minutes"]
        case .invitation: ["inviter", "list", "text", "link"]
        case .share: ["inviter", "subject", "text", "link", "code"]
        case .joined: ["person", "link"]
        case .recovery: ["left", "device", "place"]
        case .device: ["device", "place"]
        case .identity: ["address", "place"]
        case .wayIn: ["passkey", "issuer", "address", "place"]
        }
    }

    /// The values without which a message makes no sense.
    package var required: Set<String> {
        switch self {
        case .code: ["code", "minutes"]
        case .invitation: ["inviter", "link"]
        case .share: ["inviter", "link", "code"]
        case .joined: ["person"]
        case .recovery: []
        case .device, .wayIn: []
        case .identity: ["address"]
        }
    }

    /// Whether a recipient can unsubscribe from messages of this kind. Messages about the recipient's own account always
    /// go out.
    package var canUnsubscribe: Bool { [.invitation, .share, .joined].contains(self) }

    /// Whether it tells the owner of an account about a change that another person may have made.
    package var isAboutAccount: Bool { [.recovery, .device, .identity, .wayIn].contains(self) }

    /// Whether it goes out before messages that can wait.
    package var isUrgent: Bool { self == .code }

    /// How long delivery is attempted. A code is of no use when it has expired.
    package var lifetime: Duration {
        switch self {
        case .code: .seconds(10 * 60)
        case .invitation, .share, .joined, .recovery, .device, .identity, .wayIn: .days(2)
        }
    }
}
