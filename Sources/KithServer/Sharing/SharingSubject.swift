import KithModel

/// What a step of the background job of sharing is about: a row, by its key as it is stored, so that a damaged row can wait.
struct SharingSubject: Hashable, Sendable {
    /// The table of the row.
    enum Table: String {
        case signUp = "sign_up"
        case order = "sharing_work"
        case referral

        /// The columns of the key.
        var key: [String] {
            switch self {
            case .signUp: ["account"]
            case .order: ["account", "record", "kind"]
            case .referral: ["id"]
            }
        }
    }

    let table: Table
    let key: [SQLValue]

    /// The subject of a row whose first columns are the key.
    init(_ table: Table, _ row: SQLRow) { (self.table, key) = (table, Array(row.values.prefix(table.key.count))) }

    /// The error for a row that cannot be read.
    var damage: ServerError { DamagedRecord(table: table.rawValue, key: key).serverError }

    /// Lets the row wait, because it cannot be processed. If it is not due any more, another node has done it or lets it wait.
    func postpone(at now: Timestamp, in transaction: any Transaction) throws {
        let condition = table.key.map { "\($0) = ?" }.joined(separator: " AND ")
        try transaction.execute(
            "UPDATE \(table.rawValue) SET due = ? WHERE \(condition) AND due <= ?",
            [.time(now + SharingService.pause)] + key + [.time(now)])
    }
}
