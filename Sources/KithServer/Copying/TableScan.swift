/// Reads the rows of a table in the order of its key, page by page, as they are stored.
struct TableScan: Sendable {
    let table: StoredTable
    private var size = PageSize()
    /// The key of the last row that was read; nil before the first.
    private(set) var place: [SQLValue]?

    /// A scan of the rows after the one with the key `place`; of all if it is nil.
    init(_ table: StoredTable, after place: [SQLValue]? = nil) {
        self.table = table
        self.place = place
    }

    /// The next page; an empty one after the last row.
    ///
    /// - Throws: ``ServerError`` if the rows cannot be read. A damaged file can return the same ones again and again: that is
    ///   not the end of the table.
    mutating func next(in transaction: any Transaction) throws -> [SQLRow] {
        let rows = try table.rows(after: place, limit: size.rows, in: transaction)
        guard let last = rows.last else { return [] }
        let key = table.key(of: last)
        guard key != place else { throw DamagedRecord(table: table.name, key: key).serverError }
        place = key
        let bytes = rows.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.size } }
        size.adapt(toRows: rows.count, ofBytes: bytes)
        return rows
    }
}
