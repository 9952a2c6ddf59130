/// Something that I have earned in a programme. The server creates the record once, whatever is repeated.
public struct Reward: Hashable, Sendable, Identifiable {
    /// For which part I was rewarded.
    public enum Side: String, CaseIterable, Sendable, Codable {
        /// I have brought a friend.
        case advocate
        /// A friend has brought me.
        case friend
    }

    /// The reward's id.
    public let id: RewardID
    /// The name of the programme.
    public internal(set) var programme: String
    /// The name of the reward in the programme: `voucher-5`.
    public internal(set) var name: String
    /// What people read: “5 € voucher”, in the language of my profile when it was granted; nil for none.
    public internal(set) var title: String?
    /// For which part I was rewarded.
    public internal(set) var side: Side
    /// The referral for which I was rewarded; nil for the reward of a friend.
    public internal(set) var referral: ReferralID?
    /// The event that has earned it: `joined`, or a name of the app.
    public internal(set) var event: String?
    /// When it was granted, in the server's time.
    public internal(set) var granted: Timestamp
    /// The time of the last change, in the server's time.
    public internal(set) var modified: Timestamp
}

/// The id of a reward.
public typealias RewardID = RecordID<Reward>

extension RecordCollection {
    /// The rewards of an account.
    public static let rewards = RecordCollection(rawValue: "reward")
}

extension Reward {
    /// The fields of a reward, which the server writes.
    package static let schema = Schema(
        .rewards, in: .account, creator: .server, remover: .server,
        fields: [
            Field("programme", .text(1...32), writer: .server, isRequired: true),
            Field("name", .text(1...64), writer: .server, isRequired: true),
            Field("title", .text(0...200), writer: .server),
            Field("side", .choice(Side.allCases.map(\.rawValue)), writer: .server, isRequired: true),
            Field("referral", .identifier, writer: .server),
            Field("event", .text(0...64), writer: .server),
            Field("granted", .time, writer: .server, isRequired: true),
        ])

    /// Creates a reward from these fields; nil if this version cannot read them.
    package init?(id: RewardID, _ fields: Fields, modified: Timestamp) {
        guard let programme = fields["programme"]?.text, let name = fields["name"]?.text,
            let side = fields["side"]?.text.flatMap({ Side(rawValue: $0) }), let granted = fields["granted"]?.time
        else { return nil }
        self.id = id
        self.programme = programme
        self.name = name
        title = fields["title"]?.filled
        self.side = side
        referral = fields["referral"]?.text.flatMap { ReferralID($0) }
        event = fields["event"]?.filled
        self.granted = granted
        self.modified = modified
    }
}
