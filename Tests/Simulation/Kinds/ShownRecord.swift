import Kith
import KithModel

/// A record of a list, as getters return it.
struct ShownRecord {
    let collection: RecordCollection
    let id: RecordID<Never>
    let list: ListID
    /// The fields. A field that was never set has its default.
    let fields: Fields
}

extension ShownRecord {
    init(_ item: ListItem) {
        self.init(collection: .items, id: item.id.retyped(), list: item.listID, fields: item.fields)
    }
}
