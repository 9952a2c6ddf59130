import KithModel

/// A field of a record.
struct Spot: Hashable {
    let record: RecordID<Never>
    let field: String
}
