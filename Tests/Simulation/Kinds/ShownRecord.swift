import Kith
import KithModel

/// A record of a list as getters show it.
struct ShownRecord {
    let collection: RecordCollection
    let id: RecordID<Never>
    let list: ListID
    /// Its fields, each with its default if it was never set.
    let fields: Fields
}

extension ShownRecord {
    init(_ item: ListItem) {
        self.init(collection: .items, id: item.id.retyped(), list: item.listID, fields: item.fields)
    }
}
