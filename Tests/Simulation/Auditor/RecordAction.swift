import KithModel

/// An action on a record of a list, or on the list.
struct RecordAction {
    enum Kind: Equatable {
        /// A new record of this collection, with these texts.
        case created(RecordCollection, [String: String])
        /// An addition to a sum.
        case increased(String, Int)
        case removed
        /// A copy of a removed record was created by an undo, with these texts.
        case putBack([String: String])
        /// An unsent removal was undone. The record is as before.
        case tookBack
        /// A new list, with these texts.
        case madeList([String: String])
        case removedList, left
        case wrote(String, FieldValue)

        /// The texts that the action writes, by field.
        var texts: [String: String] {
            switch self {
            case .created(_, let texts), .putBack(let texts), .madeList(let texts): texts
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
    /// The record that was acted on. A list's record has the list's id.
    var record: RecordID<Never>
    var list: ListID
    var seat: Seat
    /// The group that the action was a part of; nil if it was written alone.
    var group: Int?
}
