public import KithModel

/// A part of an account's contacts, such as my network or the received requests.
///
/// Getters and signals both use this type to decide who is in a view. A mute expires without a signal;
/// `NetworkContact.isMuted(at:)` tells who is muted at a given time.
public enum NetworkView: String, CaseIterable, Sendable {
    /// The people I am connected with: no bots, nobody blocked, and not myself.
    case network
    /// The people who have sent me a request and wait for my answer.
    case requests
    /// The people that I have asked and that have not accepted.
    case sent
    /// The people that I have blocked.
    case blocked
    /// The people that I have muted, even if the mute has expired.
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
    /// Whether the record still stands for a contact. When a person is removed, an empty record stays.
    var isSomebody: Bool { relation != .none || isBlocked || mutedFrom != nil }
}
