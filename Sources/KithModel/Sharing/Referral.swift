/// A friend that I have brought to a programme.
///
/// The server creates the record in my feed when the friend signs up. It shows no more of the friend than their profile
/// shows to me.
public struct Referral: Hashable, Sendable, Identifiable {
    /// How it is known that I have brought the friend.
    public enum Basis: String, CaseIterable, Sendable, Codable {
        /// The friend has used my code or link.
        case code
        /// I have shared to an email or a number that the friend has proved.
        case recipient
    }

    /// What became of a referral.
    public enum State: String, CaseIterable, Sendable, Codable {
        /// The friend has signed up. Nothing is decided about rewards, because they are earned by a later event.
        case joined
        /// The rewards are held for a while.
        case held
        /// The rewards are granted.
        case granted
        /// There are no rewards for this friend.
        case refused
    }

    /// The referral's id.
    public let id: ReferralID
    /// The name of the programme.
    public internal(set) var programme: String
    /// The shareable that has brought the friend; nil if it was removed before.
    public internal(set) var shareable: ShareableID?
    /// How it is known that I have brought the friend.
    public internal(set) var basis: Basis
    /// The friend's name, as they show it to me; nil if they show none.
    public internal(set) var friendName: String?
    /// When the friend signed up, in the server's time.
    public internal(set) var joined: Timestamp
    /// What became of it.
    public internal(set) var state: State
    /// The time of the last change, in the server's time.
    public internal(set) var modified: Timestamp
}

/// The id of a referral.
public typealias ReferralID = RecordID<Referral>

extension RecordCollection {
    /// The friends that an account has brought to programmes.
    public static let referrals = RecordCollection(rawValue: "referral")
}

extension Referral {
    /// The fields of a referral, which the server writes.
    package static let schema = Schema(
        .referrals, in: .account, creator: .server, remover: .server,
        fields: [
            Field("programme", .text(1...32), writer: .server, isRequired: true),
            Field("shareable", .identifier, writer: .server),
            Field("basis", .choice(Basis.allCases.map(\.rawValue)), writer: .server, isRequired: true),
            Field("friendName", .text(0...201), writer: .server),
            Field("joined", .time, writer: .server, isRequired: true),
            Field("state", .choice(State.allCases.map(\.rawValue)), writer: .server, standard: "joined"),
        ])

    /// Creates a referral from these fields; nil if this version cannot read them.
    package init?(id: ReferralID, _ fields: Fields, modified: Timestamp) {
        guard let programme = fields["programme"]?.text,
            let basis = fields["basis"]?.text.flatMap({ Basis(rawValue: $0) }), let joined = fields["joined"]?.time
        else { return nil }
        self.id = id
        self.programme = programme
        shareable = fields["shareable"]?.text.flatMap { ShareableID($0) }
        self.basis = basis
        friendName = fields["friendName"]?.filled
        self.joined = joined
        state = fields["state"]?.text.flatMap { State(rawValue: $0) } ?? .joined
        self.modified = modified
    }
}
