public import KithModel

/// A part of an account's contacts: my network, received requests …
///
/// This type decides who is in a view, for getters and for signals. A mute expires without a signal;
/// `NetworkContact.isMuted(at:)` says who is muted at a time.
public enum NetworkView: String, CaseIterable, Sendable {
    /// The people I am connected with: no bots, nobody blocked, and not myself.
    case network
    /// The people who have sent me a request and wait for my answer.
    case requests
    /// The people to whom I have sent a request that they have not accepted.
    case sent
    /// The people that I have blocked.
    case blocked
    /// The people that I have muted, also if the mute has expired.
    case muted
    /// Programs that I am connected with.
    case bots
    /// The people of all views, and those whose request I have declined.
    case everyone

    /// Whether the view shows a contact to the account `me`, which is nil before the first session.
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
    /// Whether the record still is a contact. A removed person stays as an empty record.
    var isSomebody: Bool { relation != .none || isBlocked || mutedFrom != nil }
}
