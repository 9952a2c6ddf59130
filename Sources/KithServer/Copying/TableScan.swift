import Foundation

/// Reads the rows of a table in the order of its key, page by page.
///
/// NUL characters are left out, because PostgreSQL cannot store them. Older versions of the server have taken some from
/// clients.
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
    mutating func next(in transaction: any Transaction) throws -> [SQLRow] {
        let rows = try table.rows(after: place, limit: size.rows, in: transaction)
        if let last = rows.last { place = table.key(of: last) }
        let bytes = rows.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.size } }
        size.adapt(toRows: rows.count, ofBytes: bytes)
        return rows.map { $0.values.contains(where: Self.hasNUL) ? SQLRow($0.values.map(Self.withoutNUL)) : $0 }
    }

    private static func hasNUL(_ value: SQLValue) -> Bool {
        if case .text(let text) = value { text.utf8.contains(0) } else { false }
    }

    private static func withoutNUL(_ value: SQLValue) -> SQLValue {
        guard case .text(let text) = value else { return value }
        return .text(String(decoding: text.utf8.filter { $0 != 0 }, as: UTF8.self))
    }
}
