import Kith
import KithModel

/// What someone did to an item or a list.
struct Deed {
    enum Kind: Equatable {
        case created(String), renamed(String), commented(String), increased(Int), removed
        case madeList(String), removedList, left

        /// The field of an item that the deed writes, and what it writes.
        var text: (field: String, text: String)? {
            switch self {
            case .created(let text), .renamed(let text): ("title", text)
            case .commented(let text): ("comment", text)
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
}
