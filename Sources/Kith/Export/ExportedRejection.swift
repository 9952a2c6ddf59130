import KithModel

/// An entry of the file `rejections.json` of an archive: an edit that the server has refused.
struct ExportedRejection: Encodable {
    let id: MutationID
    let code: String
    let sentence: String
    let collection: String
    let record: RecordID<Never>
    let list: ListID?
    let title: String?
    let values: Fields
    let isDeletion: Bool
    let date: Timestamp

    init(_ rejection: Rejection) {
        (id, code, sentence) = (rejection.id, rejection.code.rawValue, rejection.sentence)
        (collection, record) = (rejection.collection.rawValue, rejection.record)
        (list, title) = (rejection.listID, rejection.title)
        (values, isDeletion) = (rejection.values, rejection.isDeletion)
        date = Timestamp(rejection.date)
    }
}
