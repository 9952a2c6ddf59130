/// A person that I am connected with, have asked, have blocked or have muted, or who has asked me. The record is
/// in my own feed; its identity is the other person's account.
///
/// My wish and the other person's wish are separate fields, and the relation follows from both: see ``relation``.
/// Therefore two requests that cross connect the people, and no change by the other person can undo a block or a mute.
public struct NetworkContact: Hashable, Sendable, Identifiable {
    /// The relation between two people, as one of them sees it.
    public enum Relation: String, CaseIterable, Sendable, Codable {
        /// No relation.
        case none
        /// I have sent a request. If the other person has declined it, I do not see that.
        case sent
        /// The other person has sent a request and waits for my answer.
        case received
        /// The other person has sent a request, and I have declined it. I can still accept it.
        case declined
        /// Both want to be connected.
        case connected
    }

    /// The other person's account.
    public let id: AccountID
    /// The relation between the two of us.
    public internal(set) var relation: Relation
    /// The time of the other person's request, in the server's time; nil if there is none or they withdrew it. If they
    /// only accepted my request, this is nil: see ``accepted``.
    public internal(set) var asked: Timestamp?
    /// The time when the other person accepted my request, in the server's time; nil if they did not accept it or sent
    /// a request themselves.
    public internal(set) var accepted: Timestamp?
    /// The time when the other person was last notified of my request, in the server's time. It can be sent again
    /// ``Limits/resend`` later.
    public internal(set) var notified: Timestamp?
    /// Whether I have blocked them. They cannot see it.
    public internal(set) var isBlocked: Bool
    /// The time when I muted them, by this device's clock; nil if I have not.
    public internal(set) var mutedFrom: Timestamp?
    /// The end of the mute; nil if it lasts until I unmute them.
    public internal(set) var mutedUntil: Timestamp?
    /// Whether the account is a program. The operator sets this.
    public internal(set) var isBot: Bool

    /// The given name. This field and the following ones are only set if the person shows them to me.
    public internal(set) var given: String?
    /// The family name.
    public internal(set) var family: String?
    /// The nickname.
    public internal(set) var nick: String?
    /// The title in front of the name.
    public internal(set) var title: String?
    /// Their job title.
    public internal(set) var jobTitle: String?
    /// Their company.
    public internal(set) var company: String?
    /// Their status line.
    public internal(set) var status: String?
    /// The hashes of the picture in its two sizes.
    public internal(set) var picture: Profile.Picture?
    /// Identifies the current state of the details, which are not in the contact; nil if there are none.
    package internal(set) var detailsTag: String?
    /// The time of the last change, in the server's time once it has been sent.
    public internal(set) var modified: Timestamp

    /// The given and the family name, or the nickname; nil if there is none.
    public var fullName: String? { Profile.fullName(given: given, family: family, nick: nick) }

    /// Whether they are muted at `now`.
    public func isMuted(at now: Timestamp) -> Bool {
        guard let mutedFrom, mutedFrom <= now else { return false }
        return mutedUntil.map { now < $0 } ?? true
    }

    /// Whether they are shown in my network: connected, not blocked, not a bot, and not myself.
    public func isInNetwork(of me: AccountID?) -> Bool {
        relation == .connected && !isBlocked && !isBot && id != me
    }

    /// Whether their request waits for my answer. Requests of blocked people do not count.
    public var asksMe: Bool { relation == .received && !isBlocked }
}

extension RecordCollection {
    /// People that an account is connected with, has blocked or muted, and people with a request in either direction.
    public static let contacts = RecordCollection(rawValue: "contact")
}

extension NetworkContact {
    /// What I want the relation to someone to be.
    package enum Wish: String, CaseIterable, Sendable {
        /// No wish: I have withdrawn my request, removed them, or never sent a request.
        case none
        /// To be connected: I send a request.
        case connect
        /// To be connected: I accept their request.
        case accept
        /// Not to be connected: I decline their request.
        case decline

        /// Whether the wish is to be connected.
        package var isForConnection: Bool { self == .connect || self == .accept }
    }

    /// The value of `blocked` for someone who was never online.
    package static let neverSeen = Timestamp(milliseconds: 0)

    /// The relation that follows from one person's wish and the other's request.
    package static func relation(_ wish: Wish, isAsked: Bool) -> Relation {
        switch (wish, isAsked) {
        case (.connect, true), (.accept, true): .connected
        case (.connect, false), (.accept, false): .sent
        case (.none, true): .received
        case (.decline, true): .declined
        case (.none, false), (.decline, false): .none
        }
    }

    /// The fields of the other person's profile that are copied into a contact. The other fields are details, which are
    /// fetched on request.
    package static let summary = [
        "given", "family", "nick", "title", "jobTitle", "company", "status", "pictureSmall", "pictureLarge",
    ]

    /// The fields of a contact, and who may write them.
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

    /// Creates a contact from these fields.
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

    /// Creates a contact from these values. They are read by position for speed, because apps mostly read a long
    /// network.
    package init(
        id: AccountID, wish: String?, asked: Timestamp?, accepted: Timestamp?, notified: Timestamp?, isBlocked: Bool,
        mutedFrom: Timestamp?, mutedUntil: Timestamp?, isBot: Bool, given: String?, family: String?, nick: String?,
        title: String?,
        jobTitle: String?, company: String?, status: String?, pictureSmall: String?, pictureLarge: String?,
        detailsTag: String?, modified: Timestamp
    ) {
        self.id = id
        // The field `asked` means that the other person wants to be connected. Whether they sent a request or accepted
        // mine follows from the other fields.
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

    /// The fields that the server will have after it accepts an edit.
    ///
    /// If I do not want the connection any more, the request and the acceptance are withdrawn on both sides. Without
    /// this, a removed person would look like someone with a request until the server answers.
    package static func foreseen(_ fields: Fields, before: Fields) -> Fields {
        func wish(_ fields: Fields) -> Wish { fields["wish"]?.text.flatMap(Wish.init) ?? .none }
        guard wish(before).isForConnection, wish(fields) == .none else { return fields }
        var fields = fields
        fields["asked"] = nil
        fields["accepted"] = nil
        return fields
    }
}

// MARK: - Refusals

// The device checks these rules before it writes an edit, the server before it merges one.
extension NetworkContact {
    /// The reason why somebody cannot be a contact of an account; nil if they can.
    package static func fault(of peer: AccountID, for account: AccountID?) -> BrokenRule? {
        peer == account ? BrokenRule(.yourself, "This is you: nobody is in their own network.") : nil
    }

    /// The reason why an account with this many records in its own feed cannot have another contact; nil if it can.
    package static func fault(ofOneMoreThan ownRecords: some BinaryInteger) -> BrokenRule? {
        guard ownRecords >= Limits.ownRecords else { return nil }
        return BrokenRule(
            .full,
            "An account holds \(Limits.ownRecords) contacts, lists and shares. Remove some that you no longer need.")
    }

    /// The reason why a new wish about somebody is refused, as far as the owner's own record shows; nil if it is
    /// allowed.
    ///
    /// - Parameters:
    ///   - wish: The new wish.
    ///   - relation: The relation before the change.
    ///   - isAsked: Whether the other person has sent a request.
    ///   - isBlocked: Whether the owner has blocked them.
    ///   - notified: The time when they were last notified of a request, if this wish notifies them again.
    ///   - name: The person's name for messages; nil if it is unknown.
    ///   - now: The current time.
    /// - Returns: The fault: `forbidden`, `noRequest`, `alreadyConnected` or `tooSoon`.
    package static func fault(
        of wish: Wish, relation: Relation, isAsked: Bool, isBlocked: Bool, notified: Timestamp?,
        called name: String? = nil, at now: Timestamp
    ) -> BrokenRule? {
        if wish == .connect && relation == .connected {
            return BrokenRule(.alreadyConnected, "You are connected with \(name ?? "them") already.")
        }
        if wish.isForConnection && isBlocked {
            return BrokenRule(.forbidden, "You have blocked \(name ?? "them"). Unblock them first.")
        }
        switch wish {
        case .none, .decline: return nil
        case .accept:
            return isAsked
                ? nil : BrokenRule(.noRequest, "There is no request to accept. It may have been cancelled.")
        case .connect:
            guard !isAsked, let earliest = notified.map({ $0 + Limits.resend }), now < earliest else { return nil }
            let minutes = max(1, ((earliest - now).milliseconds + 59_999) / 60_000)
            return BrokenRule(
                .tooSoon,
                "They were asked less than an hour ago. They can be asked again in \(minutes) "
                    + "minute\(minutes == 1 ? "" : "s").",
                notBefore: earliest)
        }
    }
}
