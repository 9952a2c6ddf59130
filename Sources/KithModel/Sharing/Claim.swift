/// A code of somebody else that I have used: typed, scanned, or opened as a link.
///
/// The record is in my own feed. Until I prove an email or a number for the first time, it waits. Then the server decides
/// who has brought me, once and for all.
public struct Claim: Hashable, Sendable, Identifiable {
    /// What the server has decided.
    public enum Status: Hashable, Sendable {
        /// Nothing yet.
        case open
        /// The owner of the code has brought me.
        case bound
        /// The code does not count.
        case refused(Refusal)
    }

    /// Why a code does not count. A newer server may have further reasons.
    public struct Refusal: RawRepresentable, Hashable, Sendable {
        /// The reason in its encoded form.
        public let rawValue: String

        /// Creates a reason from its name. This version need not know it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nobody has this code.
        public static let unknownCode = Refusal(rawValue: "unknownCode")
        /// The code is my own.
        public static let yourOwn = Refusal(rawValue: "yourOwn")
        /// Somebody else has brought me to this programme.
        public static let alreadyBound = Refusal(rawValue: "alreadyBound")
        /// I signed up more than ``Limits/lateClaim`` before, or used the code too long before I signed up.
        public static let tooLate = Refusal(rawValue: "tooLate")
        /// The programme is paused.
        public static let paused = Refusal(rawValue: "paused")
    }

    /// The claim's id.
    public let id: ClaimID
    /// The code.
    public internal(set) var code: ShareCode
    /// How it was shared, if I have opened a link that says so.
    public internal(set) var channel: ShareChannel?
    /// When I used it, in the device's time.
    public internal(set) var used: Timestamp
    /// The name of the programme; nil if it is not known yet.
    public internal(set) var programme: String?
    /// What the server has decided.
    public internal(set) var status: Status
    /// The name of the person who has shared, as they show it to me; nil if they show none or it is not known yet.
    public internal(set) var advocateName: String?
    /// The time of the last change, in the server's time once it has been sent.
    public internal(set) var modified: Timestamp
}

/// The id of a claim.
public typealias ClaimID = RecordID<Claim>

extension RecordCollection {
    /// The codes that an account has used.
    public static let claims = RecordCollection(rawValue: "claim")
}

extension Claim {
    /// The state that the server writes into a record.
    package enum State: String, CaseIterable, Sendable { case bound, refused }

    /// The fields of a claim, and who may write them.
    package static let schema = Schema(
        .claims, in: .account, creator: .owner, remover: .server,
        fields: [
            Field("code", .text(1...48), writer: .owner, isRequired: true),
            Field("used", .time, writer: .owner, isRequired: true),
            Field("channel", .text(1...32), writer: .owner),
            Field("programme", .text(0...32), writer: .server),
            Field("state", .choice(State.allCases.map(\.rawValue)), writer: .server),
            Field("reason", .text(0...40), writer: .server),
            Field("advocateName", .text(0...201), writer: .server),
        ], fault: fault(in:before:))

    /// Creates a claim from these fields; nil if this version cannot read the code.
    package init?(id: ClaimID, _ fields: Fields, modified: Timestamp) {
        guard let typed = fields["code"]?.text, let code = try? ShareCode(typed), let used = fields["used"]?.time
        else { return nil }
        self.id = id
        self.code = code
        self.used = used
        channel = fields["channel"]?.text.flatMap { ShareChannel(rawValue: $0) }
        programme = fields["programme"]?.filled
        switch fields["state"]?.text.flatMap({ State(rawValue: $0) }) {
        case .bound: status = .bound
        case .refused: status = .refused(Refusal(rawValue: fields["reason"]?.text ?? ""))
        case nil: status = .open
        }
        advocateName = fields["advocateName"]?.filled
        self.modified = modified
    }

    /// The reason why a record with these fields is no valid claim; nil if it is one.
    private static func fault(in fields: Fields, before: Fields?) -> BrokenRule? {
        if let before {
            return BrokenRule.fault(ofChanging: ["code", "used", "channel"], of: "a claim", in: fields, before: before)
        }
        if let fault = BrokenRule.fault(ofCodeIn: fields) { return fault }
        return fields["channel"]?.text == nil ? nil : BrokenRule.fault(ofName: "channel", in: fields)
    }
}
