import KithModel

/// What someone did to an item or a list.
struct Deed {
    enum Kind: Equatable {
        case created(String), increased(Int), removed
        /// A copy of a removed item, with that count.
        case putBack(String, count: Int)
        /// A removal that was not sent is taken back: the record is there as before.
        case tookBack
        case madeList(String), removedList, left
        /// A field of the item, or of the list if there is no item.
        case wrote(String, FieldValue)

        /// The field that the deed writes, and the text that it writes there.
        var text: (field: String, text: String)? {
            switch self {
            case .created(let text), .putBack(let text, _): ("title", text)
            case .madeList(let text): ("name", text)
            case .wrote(let field, .text(let text)) where field != "position": (field, text)
            default: nil
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
    let item: ItemID?
    let list: ListID?
    var seat: Seat
    /// The write that it was a part of, if that was to be taken whole.
    var group: Int?

    /// The record that it is about.
    var record: RecordID<Never>? { item?.retyped() ?? list?.retyped() }
}
