import Kith
import KithModel

/// A record of a list, or the list itself, as getters return it.
struct ShownRecord {
    let collection: RecordCollection
    /// The record's id. A list's record has the list's id.
    let id: RecordID<Never>
    let list: ListID
    /// The fields. A field that was never set has its default.
    let fields: Fields
}

extension ShownRecord {
    init(_ item: ListItem) {
        self.init(collection: .items, id: item.id.retyped(), list: item.listID, fields: item.fields)
    }

    /// The list, with its position among the lists of the account.
    init(_ list: SharedList) {
        let place = list.position.map { FieldValue.text($0.text) } ?? .null
        self.init(
            collection: .lists, id: list.id.retyped(), list: list.id,
            fields: list.fields.merging(["position": place]) { $1 })
    }
}
