/// Someone in my network, or who asks to be, or that I have blocked or muted. Lives in my own feed; its identity is the
/// other's account.
///
/// What I want and what the other wants are fields of their own, and what the two are to each other follows from
/// both: see ``relation``. So requests that cross connect, and nothing that arrives can undo a block or a mute.
public struct NetworkContact: Hashable, Sendable, Identifiable {
    /// What two people are to each other, as one of them sees it.
    public enum Relation: String, CaseIterable, Sendable, Codable {
        /// Nothing.
        case none
        /// I have asked. That the other has declined is not told.
        case sent
        /// The other has asked, and waits for my answer.
        case received
        /// The other has asked, and I have declined. I am still free to accept.
        case declined
        /// Both want to be connected.
        case connected
    }

    /// The other's account.
    public let id: AccountID
    /// What the two of us are to each other.
    public internal(set) var relation: Relation
    /// When the other asked me, in the server's time; nil if they did not, or took it back. Who only accepted my request
    /// has not asked: see ``accepted``.
    public internal(set) var asked: Timestamp?
    /// When the other accepted my request, in the server's time; nil if they did not, or asked themselves.
    public internal(set) var accepted: Timestamp?
    /// When the other was last told of my request, in the server's time. From ``Limits/resend`` later it can be sent again.
    public internal(set) var notified: Timestamp?
    /// Whether I have blocked them. They cannot tell.
    public internal(set) var isBlocked: Bool
    /// Since when I have muted them, by this device's clock; nil if I have not.
    public internal(set) var mutedFrom: Timestamp?
    /// Until when I have muted them; nil for as long as I do not unmute them.
    public internal(set) var mutedUntil: Timestamp?
    /// Whether the account is a program's. The operator says so.
    public internal(set) var isBot: Bool

    /// The given name, if they let me see it; so too what follows.
    public internal(set) var given: String?
    /// The family name.
    public internal(set) var family: String?
    /// The nickname.
    public internal(set) var nick: String?
    /// What stands before the name.
    public internal(set) var title: String?
    /// What they do.
    public internal(set) var jobTitle: String?
    /// Where they work.
    public internal(set) var company: String?
    /// One line on how things are.
    public internal(set) var status: String?
    /// The hashes of the picture in its two sizes.
    public internal(set) var picture: Profile.Picture?
    /// Tells one state of the details that are not in the contact from another; nil if there are none.
    package internal(set) var detailsTag: String?
    /// When this last changed, in the server's time once it has been sent.
    public internal(set) var modified: Timestamp

    /// The given and the family name, or the nickname; nil if there is none.
    public var fullName: String? { Profile.fullName(given: given, family: family, nick: nick) }

    /// Whether I have muted them at this moment.
    public func isMuted(at now: Timestamp) -> Bool {
        guard let mutedFrom, mutedFrom <= now else { return false }
        return mutedUntil.map { now < $0 } ?? true
    }

    /// Whether they are shown in my network: connected, not blocked, no bot, and not myself.
    public func isInNetwork(of me: AccountID?) -> Bool {
        relation == .connected && !isBlocked && !isBot && id != me
    }

    /// Whether their request waits for my answer. The request of somebody that I have blocked waits in vain.
    public var asksMe: Bool { relation == .received && !isBlocked }
}

extension RecordCollection {
    /// The people that an account is connected with, asks, is asked by, blocks or mutes.
    public static let contacts = RecordCollection(rawValue: "contact")
}

extension NetworkContact {
    /// What I want to be to someone.
    package enum Wish: String, CaseIterable, Sendable {
        /// Nothing: I have cancelled, or removed them, or never asked.
        case none
        /// To be connected: I ask.
        case connect
        /// To be connected, as they have asked.
        case accept
        /// Not to be connected, though they have asked.
        case decline

        /// Whether it is to be connected.
        package var isForConnection: Bool { self == .connect || self == .accept }
    }

    /// What `blocked` says of someone who had never been online.
    package static let neverSeen = Timestamp(milliseconds: 0)

    /// What two people are to each other, by what the one wants and whether the other has asked.
    package static func relation(_ wish: Wish, isAsked: Bool) -> Relation {
        switch (wish, isAsked) {
        case (.connect, true), (.accept, true): .connected
        case (.connect, false), (.accept, false): .sent
        case (.none, true): .received
        case (.decline, true): .declined
        case (.none, false), (.decline, false): .none
        }
    }

    /// The fields of the other's profile that are shown in a contact; the others are details, which are asked for.
    package static let summary = [
        "given", "family", "nick", "title", "jobTitle", "company", "status", "pictureSmall", "pictureLarge",
    ]

    /// A contact's fields, and who may write them.
    package static let schema = Schema(
        .contacts, in: .account, creator: .owner, remover: .server,
        fields: [
            Field("wish", .choice(Wish.allCases.map(\.rawValue)), writer: .owner, standard: "none"),
            Field("isBlocked", .flag, writer: .owner, standard: false),
            Field("mutedFrom", .time, writer: .owner),
            Field("mutedUntil", .time, writer: .owner),
            Field("blocked", .time, writer: .server),
            Field("asked", .time, writer: .server),
            Field("accepted", .time, writer: .server),
            Field("notified", .time, writer: .server),
            Field("isBot", .flag, writer: .server, standard: false),
            Field("detailsTag", .text(0...64), writer: .server),
        ] + Profile.schema.fields.filter { summary.contains($0.name) }.map { Field($0.name, $0.kind, writer: .server) })

    /// The contact of these fields.
    package init(id: AccountID, _ fields: Fields, modified: Timestamp) {
        func text(_ name: String) -> String? { fields[name]?.text }
        func time(_ name: String) -> Timestamp? { fields[name]?.integer.map { Timestamp(milliseconds: $0) } }
        self.init(
            id: id, wish: text("wish"), asked: time("asked"), accepted: time("accepted"), notified: time("notified"),
            isBlocked: fields["isBlocked"]?.flag ?? false, mutedFrom: time("mutedFrom"), mutedUntil: time("mutedUntil"),
            isBot: fields["isBot"]?.flag ?? false, given: text("given"), family: text("family"), nick: text("nick"),
            title: text("title"), jobTitle: text("jobTitle"), company: text("company"), status: text("status"),
            pictureSmall: text("pictureSmall"), pictureLarge: text("pictureLarge"), detailsTag: text("detailsTag"),
            modified: modified)
    }

    /// The contact of these values: read by position, because reading a long network is what an app does most.
    package init(
        id: AccountID, wish: String?, asked: Timestamp?, accepted: Timestamp?, notified: Timestamp?, isBlocked: Bool,
        mutedFrom: Timestamp?, mutedUntil: Timestamp?, isBot: Bool, given: String?, family: String?, nick: String?,
        title: String?,
        jobTitle: String?, company: String?, status: String?, pictureSmall: String?, pictureLarge: String?,
        detailsTag: String?, modified: Timestamp
    ) {
        self.id = id
        // The field says that the other wants to be connected; how they said it is told beside it.
        self.asked = accepted == nil ? asked : nil
        self.accepted = asked == nil ? nil : accepted
        relation = Self.relation(wish.flatMap(Wish.init) ?? .none, isAsked: asked != nil)
        self.notified = notified
        self.isBlocked = isBlocked
        self.mutedFrom = mutedFrom
        self.mutedUntil = mutedUntil
        self.isBot = isBot
        self.given = given
        self.family = family
        self.nick = nick
        self.title = title
        self.jobTitle = jobTitle
        self.company = company
        self.status = status
        if let pictureSmall, let pictureLarge {
            picture = Profile.Picture(small: pictureSmall, large: pictureLarge)
        } else {
            picture = nil
        }
        self.detailsTag = detailsTag
        self.modified = modified
    }

    /// A contact's fields as the server will have them after an edit that it takes.
    ///
    /// Who no longer wants to be connected with someone takes back for both what made them so: else a person that was
    /// removed would show as one who asks, until the server has said so.
    package static func foreseen(_ fields: Fields, before: Fields) -> Fields {
        func wish(_ fields: Fields) -> Wish { fields["wish"]?.text.flatMap(Wish.init) ?? .none }
        guard wish(before).isForConnection, wish(fields) == .none else { return fields }
        var fields = fields
        fields["asked"] = nil
        fields["accepted"] = nil
        return fields
    }
}
