/// An invitation that I have sent to an email address or a phone number, or that somebody has sent to me.
///
/// The record is in my own feed. My device chooses the id of a sent invitation. The server creates a received invitation if
/// one of my proved identities is the recipient, also if I prove it later. The inviter and the recipient have different
/// records:
///
///     mine:    pending ──accepted by them──▶ accepted
///                │ ▲ └──bounce, refusal, limit──▶ failed ──resend──▶ pending
///         cancel ▼ │ resend
///              cancelled
///
///     theirs:  pending ──accept──▶ accepted
///                ├──decline──▶ declined      (mine stays pending)
///                └──delete──▶ no record      (mine stays pending)
///
/// An invitation to connect is accepted without an answer if the two are connected, or have invited each other, unless the
/// recipient is not discoverable.
///
/// Nobody can see that an invitation was declined or deleted, nor whether the recipient has an account before they
/// accept.
public struct Invitation: Hashable, Sendable, Identifiable {
    /// Whether I have sent or received an invitation.
    public enum Direction: String, CaseIterable, Sendable, Codable {
        /// I have sent it.
        case sent
        /// Somebody has sent it to me.
        case received
    }

    /// What the recipient is invited to.
    public enum Purpose: Hashable, Sendable {
        /// To join the service. Accepting tells the inviter and has no other effect.
        case join
        /// To be in each other's network.
        case connect
        /// To be in each other's network, and to join a list with this role.
        case list(ListID, Role)
    }

    /// Who sends the message with the link.
    public enum Delivery: String, CaseIterable, Sendable, Codable {
        /// The server, by email or SMS.
        case server
        /// The app, with the mail or message sheet of the device.
        case device
    }

    /// The status of an invitation, as the owner of the record sees it.
    public enum Status: String, CaseIterable, Sendable, Codable {
        /// It waits for an answer.
        case pending
        /// It was accepted.
        case accepted
        /// I have declined it. Only received invitations can be declined. I can still accept it.
        case declined
        /// I have revoked it, or the app's sheet was cancelled. Only sent invitations can be cancelled.
        case cancelled
        /// It could not be delivered or accepted: see ``Invitation/failure``.
        case failed
    }

    /// The invitation's id. The sent and the received record have different ids.
    public let id: InvitationID
    /// Whether I have sent or received it.
    public internal(set) var direction: Direction
    /// The email address or the number that is invited; nil if I have accepted the link of an invitation to somebody else.
    public internal(set) var recipient: Identity?
    /// What the recipient is invited to.
    public internal(set) var purpose: Purpose
    /// The name of the list, as the server last knew it; nil without a list.
    public internal(set) var listName: String?
    /// The text that goes out with the link; nil for the text of the service.
    public internal(set) var text: String?
    /// My name for the recipient, which only I see; nil for a received invitation.
    public internal(set) var name: String?
    /// The language of the message, as a tag (BCP 47); nil for my own.
    public internal(set) var language: String?
    /// Who sends the message.
    public internal(set) var delivery: Delivery
    /// The status.
    public internal(set) var status: Status
    /// Why it has failed or could not be accepted; nil otherwise.
    public internal(set) var failure: MessageFailure?
    /// When the server last queued the message, in its time; nil if it has not yet. If it cannot be delivered afterwards, the
    /// invitation fails. A composed invitation has the time of the app's report, and a received one that of its arrival.
    ///
    /// The invitation can be sent again ``Limits/resend`` later.
    public internal(set) var notified: Timestamp?
    /// Whether the owner has asked the server to send it or, if the app sends it, has reported that it was sent.
    package internal(set) var isRequested: Bool
    /// When the invitation expires, in the server's time; nil if that is not known yet.
    public internal(set) var expires: Timestamp?
    /// The other person's account: the inviter of a received invitation, or the person who has accepted a sent invitation;
    /// nil until a sent invitation is accepted.
    public internal(set) var peer: AccountID?
    /// The other person's name, as they show it to me; nil if they show none.
    public internal(set) var peerName: String?
    /// The time of the last change, in the server's time once it has been sent.
    public internal(set) var modified: Timestamp

    /// Whether it waits for an answer and has not expired at `now`.
    public func isOpen(at now: Timestamp) -> Bool { status == .pending && !(expires.map { $0 <= now } ?? false) }

    /// The name to show for the other person: the one that they show, else mine for them, else the address or number.
    public var shownName: String { peerName ?? name ?? (direction == .sent ? recipient?.shown ?? "" : "") }
}

extension RecordCollection {
    /// The invitations that an account has sent and received.
    public static let invitations = RecordCollection(rawValue: "invitation")
}

/// The id of an invitation.
public typealias InvitationID = RecordID<Invitation>

extension Invitation {
    /// The encoded form of a purpose in the record.
    package enum Kind: String, CaseIterable, Sendable { case join, connect, list }

    /// The state that the server writes into a record. Before that, an invitation is pending.
    package enum State: String, CaseIterable, Sendable { case pending, accepted, failed }

    /// The owner's answer to a received invitation.
    package enum Answer: String, CaseIterable, Sendable { case accept, decline }

    /// The fields of an invitation, and who may write them.
    ///
    /// The owner writes the first fields of a sent invitation, and only `answer` of a received one. A received invitation has
    /// an `inviter`.
    package static let schema = Schema(
        .invitations, in: .account, creator: .owner, remover: .owner,
        fields: [
            // A sent invitation always has a recipient. A received one has none if another person's link was accepted.
            Field("recipient", .text(1...300), writer: .owner),
            Field("purpose", .choice(Kind.allCases.map(\.rawValue)), writer: .owner, isRequired: true),
            Field("list", .identifier, writer: .owner),
            Field("role", .choice([Role.viewer.rawValue, Role.editor.rawValue]), writer: .owner),
            Field("text", .text(0...Limits.invitationText), writer: .owner),
            Field("name", .text(0...200), writer: .owner),
            Field("language", .text(0...35), writer: .owner),
            Field("delivery", .choice(Delivery.allCases.map(\.rawValue)), writer: .owner, standard: "server"),
            // The hash of the secret in a link that the device has created. Only the message contains the secret.
            Field("secret", .digest, writer: .owner),
            // When the owner last requested to notify the recipient, in the device's time. Each write is a request: the
            // server compares the field's stamps.
            Field("requested", .time, writer: .owner),
            Field("isRevoked", .flag, writer: .owner, standard: false),
            Field("answer", .choice(Answer.allCases.map(\.rawValue)), writer: .owner),
            Field("inviter", .identifier, writer: .server),
            Field("state", .choice(State.allCases.map(\.rawValue)), writer: .server, standard: "pending"),
            Field("reason", .text(0...40), writer: .server),
            Field("detail", .text(0...200), writer: .server),
            Field("notified", .time, writer: .server),
            Field("expires", .time, writer: .server),
            Field("listName", .text(0...200), writer: .server),
            Field("peer", .identifier, writer: .server),
            Field("peerName", .text(0...201), writer: .server),
        ], fault: fault(in:before:))

    /// The owner's answer in the fields of a received invitation; nil if there is none.
    package static func answer(in fields: Fields) -> Answer? { fields["answer"]?.text.flatMap(Answer.init) }

    /// Whether the app sends the invitation with these fields itself.
    package static func isSentByDevice(_ fields: Fields) -> Bool {
        fields["delivery"]?.text == Delivery.device.rawValue
    }

    /// Creates an invitation from these fields; nil if this version cannot read the recipient or the purpose.
    package init?(id: InvitationID, _ fields: Fields, modified: Timestamp) {
        func text(_ name: String) -> String? { fields[name]?.text }
        func time(_ name: String) -> Timestamp? { fields[name]?.time }
        direction = text("inviter") == nil ? .sent : .received
        recipient = text("recipient").flatMap { Identity($0) }
        guard recipient != nil || (direction == .received && text("recipient") == nil), let purpose = Purpose(fields)
        else { return nil }
        self.id = id
        self.purpose = purpose
        listName = text("listName")
        self.text = text("text")
        name = text("name")
        language = text("language")
        delivery = text("delivery").flatMap(Delivery.init) ?? .server
        status = Self.status(of: fields)
        failure = text("reason").map { MessageFailure(.init(rawValue: $0), detail: text("detail")) }
        notified = time("notified")
        isRequested = time("requested") != nil
        expires = time("expires")
        peer = text(direction == .sent ? "peer" : "inviter").flatMap { AccountID($0) }
        peerName = text("peerName")
        self.modified = modified
    }

    /// The status of the invitation with these fields.
    package static func status(of fields: Fields) -> Status {
        let state = fields["state"]?.text.flatMap(State.init) ?? .pending
        if fields["inviter"] == nil {
            if state == .accepted { return .accepted }
            if fields["isRevoked"]?.flag ?? false { return .cancelled }
            return state == .failed ? .failed : .pending
        }
        switch (state, answer(in: fields)) {
        case (.accepted, _), (_, .accept): return .accepted
        case (_, .decline): return .declined
        case (.failed, _): return .failed
        case (.pending, nil): return .pending
        }
    }

    /// The fields that the server will have after it accepts an edit: a request to send again clears a failure.
    package static func predicted(_ fields: Fields, before: Fields) -> Fields {
        guard fields["requested"] != before["requested"], fields["state"]?.text == State.failed.rawValue else {
            return fields
        }
        return fields.filter { !["state", "reason", "detail"].contains($0.key) }
    }
}

extension Invitation.Purpose {
    /// The purpose in these fields; nil if they have none that this version knows.
    package init?(_ fields: Fields) {
        switch fields["purpose"]?.text.flatMap(Invitation.Kind.init) {
        case .join: self = .join
        case .connect: self = .connect
        case .list:
            guard let list = fields["list"]?.text.flatMap({ ListID($0) }) else { return nil }
            self = .list(list, fields["role"]?.text.flatMap(Role.init) ?? .viewer)
        case nil: return nil
        }
    }

    /// The fields of the purpose.
    package var fields: Fields {
        switch self {
        case .join: ["purpose": .text(Invitation.Kind.join.rawValue)]
        case .connect: ["purpose": .text(Invitation.Kind.connect.rawValue)]
        case .list(let list, let role):
            [
                "purpose": .text(Invitation.Kind.list.rawValue), "list": .text(list.description),
                "role": .text(role.rawValue),
            ]
        }
    }

    /// The list that the recipient is invited to; nil if there is none.
    public var list: ListID? { if case .list(let list, _) = self { list } else { nil } }
}

// MARK: - Refusals

// The device checks these rules before it stores an edit, and the server checks them before it merges an edit.
extension Invitation {
    /// The sentence for a sender who answers the invitation.
    package static let isSentSentence = "You have sent this invitation. Only its recipient can answer it."

    /// The reason why an invitation cannot be sent again; nil if it can.
    ///
    /// - Parameters:
    ///   - status: Its status before.
    ///   - notified: When it was last queued: see ``notified``.
    ///   - now: The current time.
    /// - Returns: The fault: `alreadyAccepted` or `tooSoon`.
    package static func fault(
        ofResending status: Status, notified: Timestamp?, at now: Timestamp
    ) -> BrokenRule? {
        if status == .accepted { return BrokenRule(.alreadyAccepted, "The invitation has already been accepted.") }
        // A recipient who was notified more than an hour from now was notified while the clock was ahead.
        guard let notified, now < notified + Limits.resend, notified < now + Limits.resend else { return nil }
        let earliest = notified + Limits.resend
        return BrokenRule(
            .tooSoon,
            "The invitation was sent less than an hour ago. It can be sent again in \((earliest - now).words).",
            notBefore: earliest)
    }

    /// The reason why an invitation that was accepted cannot be declined or revoked; nil if these fields do neither.
    ///
    /// Another device, or the other person, has accepted it. Without a refusal the edit would have no effect, and nobody
    /// would say so.
    private static func lateFault(in fields: Fields, before: Fields, isReceived: Bool) -> BrokenRule? {
        guard before["state"]?.text == State.accepted.rawValue else { return nil }
        if isReceived {
            guard answer(in: fields) == .decline, fields["answer"] != before["answer"] else { return nil }
            return BrokenRule(
                .alreadyAccepted, "The invitation was accepted already. Leave the list or remove the person instead.")
        }
        guard fields["isRevoked"]?.flag ?? false, fields["isRevoked"] != before["isRevoked"] else { return nil }
        return BrokenRule(.alreadyAccepted, "The invitation was accepted already. Remove the person instead.")
    }

    /// The reason why a record with these fields is no valid invitation; nil if it is one.
    private static func fault(in fields: Fields, before: Fields?) -> BrokenRule? {
        if let before {
            let fixed = ["recipient", "purpose", "list", "role", "delivery"]
            if let fault = BrokenRule.fault(ofChanging: fixed, of: "an invitation", in: fields, before: before) {
                return fault
            }
            let isReceived = before["inviter"] != nil
            let others =
                isReceived
                ? ["text", "name", "language", "secret", "requested", "isRevoked"] : ["answer"]
            if let name = fields.firstChange(of: others, since: before) {
                return BrokenRule(
                    .invalid, field: name,
                    isReceived
                        ? "You have received this invitation. It can be accepted, declined or removed."
                        : isSentSentence)
            }
            return lateFault(in: fields, before: before, isReceived: isReceived)
        }
        guard let recipient = fields["recipient"]?.text, Identity(recipient) != nil else {
            return BrokenRule(.invalid, field: "recipient", "“recipient” is neither an email address nor a number.")
        }
        guard Purpose(fields) != nil else {
            return BrokenRule(.invalid, field: "list", "“list” is missing, but the invitation is to a list.")
        }
        if fields["answer"] != nil {
            return BrokenRule(.invalid, field: "answer", "Only a received invitation can be answered.")
        }
        return nil
    }
}
