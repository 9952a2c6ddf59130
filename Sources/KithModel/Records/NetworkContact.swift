import Foundation

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
    package static let summary = Profile.allFields.filter(\.isInSummary).flatMap(\.part.fields)

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
        var reader = RecordReader(fields: fields)
        self.init(id: id, reading: &reader, modified: modified)
    }

    /// Creates a contact from the values of a reader. They may be read by position for speed, because apps mostly read a
    /// long network. Therefore the order does not depend on the values: it is that of ``fieldNames``.
    package init(id: AccountID, reading reader: inout some FieldReader, modified: Timestamp) {
        self.id = id
        self.modified = modified
        let wish: Wish = reader.text("wish").flatMap(Wish.init) ?? .none
        let asked = reader.time("asked")
        let accepted = reader.time("accepted")
        // The field `asked` means that the other person wants to be connected. Whether they sent a request or accepted
        // mine follows from the other fields.
        self.asked = accepted == nil ? asked : nil
        self.accepted = asked == nil ? nil : accepted
        relation = Self.relation(wish, isAsked: asked != nil)
        notified = reader.time("notified")
        isBlocked = reader.flag("isBlocked")
        mutedFrom = reader.time("mutedFrom")
        mutedUntil = reader.time("mutedUntil")
        isBot = reader.flag("isBot")
        given = reader.text("given")
        family = reader.text("family")
        nick = reader.text("nick")
        title = reader.text("title")
        jobTitle = reader.text("jobTitle")
        company = reader.text("company")
        status = reader.text("status")
        let small = reader.text("pictureSmall")
        let large = reader.text("pictureLarge")
        if let small, let large {
            picture = Profile.Picture(small: small, large: large)
        } else {
            picture = nil
        }
        detailsTag = reader.text("detailsTag")
    }

    /// The names of the fields that a contact reads, in the order in which it reads them.
    package static let fieldNames: [String] = {
        var recorder = NameRecorder()
        let nobody = AccountID(UUID(high: 0, low: 0))
        _ = NetworkContact(id: nobody, reading: &recorder, modified: Timestamp(milliseconds: 0))
        return recorder.names
    }()

    /// The fields that the server will have after it accepts an edit.
    ///
    /// If I do not want the connection any more, the request and the acceptance are withdrawn on both sides. Without
    /// this, a removed person would look like someone with a request until the server answers.
    package static func predicted(_ fields: Fields, before: Fields) -> Fields {
        func wish(_ fields: Fields) -> Wish { fields["wish"]?.text.flatMap(Wish.init) ?? .none }
        guard wish(before).isForConnection, wish(fields) == .none else { return fields }
        var fields = fields
        fields["asked"] = nil
        fields["accepted"] = nil
        return fields
    }
}

// MARK: - The summary

extension NetworkContact {
    /// The part of their profile that is in the contact.
    package var profile: Profile {
        var profile = Profile()
        profile.given = given
        profile.family = family
        profile.nick = nick
        profile.title = title
        profile.jobTitle = jobTitle
        profile.company = company
        profile.status = status
        profile.picture = picture
        return profile
    }

    /// The texts that are searched for a person: the parts of the name, and the work.
    package var searchedTexts: [String?] { [given, family, nick, company, jobTitle] }

    /// Whether another state of the contact has the same name.
    package func hasSameName(as other: Self) -> Bool {
        given == other.given && family == other.family && nick == other.nick
    }

    /// Whether another state of the contact has the same title, job and company.
    package func hasSameWork(as other: Self) -> Bool {
        title == other.title && jobTitle == other.jobTitle && company == other.company
    }
}

// MARK: - Readers

/// Reads fields by name.
private struct RecordReader: FieldReader {
    let fields: Fields

    func text(_ name: String) -> String? { fields[name]?.text }
    func time(_ name: String) -> Timestamp? { fields[name]?.time }
    func flag(_ name: String) -> Bool { fields[name]?.flag ?? false }
}

/// Notes the names of the fields that are read.
private struct NameRecorder: FieldReader {
    var names: [String] = []

    mutating func text(_ name: String) -> String? {
        names.append(name)
        return nil
    }

    mutating func time(_ name: String) -> Timestamp? {
        names.append(name)
        return nil
    }

    mutating func flag(_ name: String) -> Bool {
        names.append(name)
        return false
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
            return BrokenRule(
                .tooSoon,
                "They were asked less than an hour ago. They can be asked again in \((earliest - now).words).",
                notBefore: earliest)
        }
    }
}
