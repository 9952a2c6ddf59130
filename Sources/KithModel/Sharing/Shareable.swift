/// Something that I share in a programme, with a code of its own: the app itself, or one thing in it.
///
/// The record is in my own feed. A device makes it, also without a network, and chooses a code at random. The server
/// registers the code for my account when it receives the record. A code that was registered stays mine: links with an
/// earlier code of the shareable still lead to me.
public struct Shareable: Hashable, Sendable, Identifiable {
    /// The shareable's id.
    public let id: ShareableID
    /// The name of the programme. It does not change.
    public internal(set) var programme: String
    /// The code in its link.
    public internal(set) var code: ShareCode
    /// The app's name for what is shared; nil for the programme's default shareable. It does not change.
    public internal(set) var key: String?
    /// What I call it; nil for no label.
    public internal(set) var label: String?
    /// The text that its page shows besides that of the programme; nil for none.
    public internal(set) var content: String?
    /// A JSON object of the app, as its text; nil for none.
    public internal(set) var data: String?
    /// The token of a public link of a list, which its page shows; nil for none. When the link is revoked, the page shows no
    /// list.
    public internal(set) var list: String?
    /// When I selected it last; nil if I never did. The one that was selected last is the one that an app shows first.
    public internal(set) var selected: Timestamp?
    /// The time of the last change, in the server's time once it has been sent.
    public internal(set) var modified: Timestamp
}

/// The id of a shareable.
public typealias ShareableID = RecordID<Shareable>

extension RecordCollection {
    /// What an account shares.
    public static let shareables = RecordCollection(rawValue: "shareable")
}

extension Shareable {
    /// The fields of a shareable, and who may write them.
    package static let schema = Schema(
        .shareables, in: .account, creator: .owner, remover: .owner,
        fields: [
            Field("programme", .text(1...32), writer: .owner, isRequired: true),
            Field("code", .text(1...48), writer: .owner, isRequired: true),
            Field("key", .text(0...100), writer: .owner),
            Field("label", .text(0...200), writer: .owner),
            Field("content", .text(0...Limits.shareableContent), writer: .owner),
            Field("data", .text(0...Limits.sharingData), writer: .owner),
            Field("selected", .time, writer: .owner),
            Field("list", .text(0...64), writer: .owner),
        ], fault: fault(in:before:))

    /// Creates a shareable from these fields; nil if this version cannot read the programme or the code.
    package init?(id: ShareableID, _ fields: Fields, modified: Timestamp) {
        guard let programme = fields["programme"]?.text, let typed = fields["code"]?.text,
            let code = try? ShareCode(typed)
        else { return nil }
        self.id = id
        self.programme = programme
        self.code = code
        key = fields["key"]?.filled
        label = fields["label"]?.filled
        content = fields["content"]?.filled
        data = fields["data"]?.filled
        selected = fields["selected"]?.time
        list = fields["list"]?.filled
        self.modified = modified
    }

    /// The reason why a record with these fields is no valid shareable; nil if it is one. A code that is taken or breaks
    /// a rule of the programme is refused by the server.
    private static func fault(in fields: Fields, before: Fields?) -> BrokenRule? {
        if let before,
            let fault = BrokenRule.fault(
                ofChanging: ["programme", "key"], of: "a shareable", in: fields, before: before)
        {
            return fault
        }
        if let fault = BrokenRule.fault(ofName: "programme", in: fields) { return fault }
        if let fault = BrokenRule.fault(ofCodeIn: fields) { return fault }
        return BrokenRule.fault(ofJSON: "data", in: fields)
    }
}
