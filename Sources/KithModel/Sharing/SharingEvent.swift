/// Something that I have done and that may earn a reward, such as a purchase.
///
/// The record is in my own feed until the server has counted it. The server counts an event once, by its id, and then
/// removes the record.
public struct SharingEvent: Hashable, Sendable, Identifiable {
    /// The event's id.
    public let id: SharingEventID
    /// The name of the programme.
    public internal(set) var programme: String
    /// The name of the event in the programme: `purchase`.
    public internal(set) var name: String
    /// A JSON object of the app, as its text; nil for none.
    public internal(set) var data: String?
    /// When it happened, in the device's time.
    public internal(set) var occurred: Timestamp
    /// The time of the last change, in the server's time once it has been sent.
    public internal(set) var modified: Timestamp
}

/// The id of an event.
public typealias SharingEventID = RecordID<SharingEvent>

extension RecordCollection {
    /// The events of an account that may earn rewards.
    public static let events = RecordCollection(rawValue: "event")
}

extension SharingEvent {
    /// The name of the event that the server itself records when somebody signs up.
    package static let joined = "joined"

    /// The fields of an event, and who may write them.
    package static let schema = Schema(
        .events, in: .account, creator: .owner, remover: .server,
        fields: [
            Field("programme", .text(1...32), writer: .owner, isRequired: true),
            Field("name", .text(1...64), writer: .owner, isRequired: true),
            Field("data", .text(0...Limits.sharingData), writer: .owner),
            Field("occurred", .time, writer: .owner, isRequired: true),
        ], fault: fault(in:before:))

    /// Creates an event from these fields; nil if this version cannot read them.
    package init?(id: SharingEventID, _ fields: Fields, modified: Timestamp) {
        guard let programme = fields["programme"]?.text, let name = fields["name"]?.text,
            let occurred = fields["occurred"]?.time
        else { return nil }
        self.id = id
        self.programme = programme
        self.name = name
        data = fields["data"]?.filled
        self.occurred = occurred
        self.modified = modified
    }

    /// The reason why a record with these fields is no valid event; nil if it is one.
    private static func fault(in fields: Fields, before: Fields?) -> BrokenRule? {
        if let before {
            return BrokenRule.fault(
                ofChanging: ["programme", "name", "data", "occurred"], of: "an event", in: fields, before: before)
        }
        if let fault = BrokenRule.fault(ofName: "programme", in: fields) { return fault }
        if fields["name"]?.text == joined {
            return BrokenRule(
                .invalid, field: "name", "The server itself records the event “joined”. Choose another name.")
        }
        return BrokenRule.fault(ofJSON: "data", in: fields)
    }
}
