public import KithModel

/// Some of the people that an account has to do with: my network, those who ask …
///
/// Who is in a view is decided here, for getters and for signals alike. A mute ends without a signal: who is muted at this
/// moment is said by ``NetworkContact/isMuted(at:)``.
public enum NetworkView: String, CaseIterable, Sendable {
    /// Those I am connected with: no bots, nobody blocked, and not myself.
    case network
    /// Those who have asked, and wait for my answer.
    case requests
    /// The people that I have asked, and who have not accepted.
    case sent
    /// The people that I have blocked.
    case blocked
    /// The people that I have muted, also if their time is over.
    case muted
    /// Programs that I am connected with.
    case bots
    /// All of them, and those whose request I have declined.
    case everyone

    /// Whether someone is in the view of the account `me`; nil before the first session.
    public func shows(_ contact: NetworkContact, to me: AccountID?) -> Bool {
        switch self {
        case .network: contact.isInNetwork(of: me)
        case .requests: contact.asksMe && contact.id != me
        case .sent: contact.relation == .sent && contact.id != me
        case .blocked: contact.isBlocked
        case .muted: contact.mutedFrom != nil
        case .bots: contact.isBot && contact.relation == .connected && !contact.isBlocked
        case .everyone: contact.isSomebody
        }
    }
}

extension NetworkContact {
    /// Whether I have to do with them. A person who was removed stays as an empty record.
    var isSomebody: Bool { relation != .none || isBlocked || mutedFrom != nil }
}
