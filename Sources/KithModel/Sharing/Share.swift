/// One time that I have shared something: by an email that the server sends, or in a way of the device.
///
/// The record is in my own feed and never changes, but for what the server writes about the email.
public struct Share: Hashable, Sendable, Identifiable {
    /// The status of a share.
    public enum Status: Hashable, Sendable {
        /// The server does not have the email yet, or has not queued it.
        case pending
        /// The device has shared it: the sheet was completed, or the link copied.
        case shared
        /// The server has queued the email. If it cannot be delivered afterwards, the share fails.
        case sent
        /// The server has not sent it, or it could not be delivered.
        case failed(MessageFailure)
    }

    /// The share's id.
    public let id: ShareID
    /// What was shared.
    public internal(set) var shareable: ShareableID
    /// How it was shared.
    public internal(set) var channel: ShareChannel
    /// The recipient; nil if it is not known. An email always has one.
    public internal(set) var recipient: Identity?
    /// The subject of the email; nil for that of the programme.
    public internal(set) var subject: String?
    /// The text; nil for that of the programme.
    public internal(set) var message: String?
    /// The language of the email, as a tag (BCP 47); nil for my own.
    public internal(set) var language: String?
    /// A JSON object of the app, as its text; nil for none.
    public internal(set) var data: String?
    /// When it was shared, in the device's time.
    public internal(set) var shared: Timestamp
    /// The status.
    public internal(set) var status: Status
    /// The time of the last change, in the server's time once it has been sent.
    public internal(set) var modified: Timestamp
}

/// The id of a share.
public typealias ShareID = RecordID<Share>

extension RecordCollection {
    /// The times that an account has shared something.
    public static let shares = RecordCollection(rawValue: "share")
}

extension Share {
    /// The state that the server writes into a record.
    package enum State: String, CaseIterable, Sendable { case sent, failed }

    /// The fields of a share, and who may write them.
    package static let schema = Schema(
        .shares, in: .account, creator: .owner, remover: .owner,
        fields: [
            Field("shareable", .identifier, writer: .owner, isRequired: true),
            Field("channel", .text(1...32), writer: .owner, isRequired: true),
            Field("recipient", .text(1...300), writer: .owner),
            Field("subject", .text(0...200), writer: .owner),
            Field("message", .text(0...Limits.invitationText), writer: .owner),
            Field("language", .text(0...35), writer: .owner),
            Field("data", .text(0...Limits.sharingData), writer: .owner),
            Field("shared", .time, writer: .owner, isRequired: true),
            Field("state", .choice(State.allCases.map(\.rawValue)), writer: .server),
            Field("reason", .text(0...40), writer: .server),
            Field("detail", .text(0...200), writer: .server),
        ], fault: fault(in:before:))

    /// Creates a share from these fields; nil if this version cannot read what was shared, the channel or the recipient.
    package init?(id: ShareID, _ fields: Fields, modified: Timestamp) {
        guard let shareable = fields["shareable"]?.text.flatMap({ ShareableID($0) }),
            let channel = fields["channel"]?.text.flatMap({ ShareChannel(rawValue: $0) }),
            let shared = fields["shared"]?.time
        else { return nil }
        recipient = fields["recipient"]?.text.flatMap { Identity($0) }
        if recipient == nil, fields["recipient"]?.text != nil { return nil }
        self.id = id
        self.shareable = shareable
        self.channel = channel
        subject = fields["subject"]?.filled
        message = fields["message"]?.filled
        language = fields["language"]?.filled
        data = fields["data"]?.filled
        self.shared = shared
        status = Self.status(of: fields)
        self.modified = modified
    }

    /// The status of the share with these fields.
    package static func status(of fields: Fields) -> Status {
        switch fields["state"]?.text.flatMap({ State(rawValue: $0) }) {
        case .sent: .sent
        case .failed:
            .failed(MessageFailure(.init(rawValue: fields["reason"]?.text ?? ""), detail: fields["detail"]?.filled))
        case nil: isEmail(fields) ? .pending : .shared
        }
    }

    /// Whether the server sends the share with these fields.
    package static func isEmail(_ fields: Fields) -> Bool {
        fields["channel"]?.text == ShareChannel.email.rawValue
    }

    /// The reason why a record with these fields is no valid share; nil if it is one.
    private static func fault(in fields: Fields, before: Fields?) -> BrokenRule? {
        if let before {
            let names = schema.fields.filter { $0.writer == .owner }.map(\.name)
            return BrokenRule.fault(ofChanging: names, of: "a share", in: fields, before: before)
        }
        if let fault = BrokenRule.fault(ofName: "channel", in: fields) { return fault }
        let recipient = fields["recipient"]?.text
        if let recipient, Identity(recipient) == nil {
            return BrokenRule(.invalid, field: "recipient", "“recipient” is neither an email address nor a number.")
        }
        if isEmail(fields) {
            guard case .email? = recipient.flatMap({ Identity($0) }) else {
                return BrokenRule(.invalid, field: "recipient", "“recipient” of an email is an email address.")
            }
        }
        return BrokenRule.fault(ofJSON: "data", in: fields)
    }
}
