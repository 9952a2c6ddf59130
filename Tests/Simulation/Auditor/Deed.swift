import KithModel

/// What someone did to a record of a list, or to the list.
struct Deed {
    enum Kind: Equatable {
        /// A new record of this collection, with these texts.
        case created(RecordCollection, [String: String])
        /// An addition to a sum.
        case increased(String, Int)
        case removed
        /// A copy of a removed record, with these texts.
        case putBack([String: String])
        /// A removal that was not sent is taken back: the record is there as before.
        case tookBack
        case madeList(String), removedList, left
        case wrote(String, FieldValue)

        /// The texts that the deed writes, by their fields.
        var texts: [String: String] {
            switch self {
            case .created(_, let texts), .putBack(let texts): texts
            case .madeList(let text): ["name": text]
            case .wrote(let field, .text(let text)) where field != "position": [field: text]
            default: [:]
            }
        }
    }

    /// One person's account on one device.
    struct Seat: Hashable {
        var device: Int
        /// nil before the first session.
        var account: AccountID?
    }

    let kind: Kind
    /// The record that it is about. A list's record has the list's id.
    let record: RecordID<Never>
    let list: ListID
    var seat: Seat
    /// The write that it was a part of, if that was to be taken whole.
    var group: Int?
}
