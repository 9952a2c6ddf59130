import Foundation
import GRDB
import KithModel

/// A transaction on a connection of GRDB.
struct SQLiteTransaction: Transaction {
    private let database: GRDB.Database

    init(_ database: GRDB.Database) {
        self.database = database
    }

    var dialect: Dialect { .sqlite }

    func execute(_ sql: String, _ values: [SQLValue]) throws {
        let statement = try statement(sql, values)
        try statement.execute(arguments: Self.arguments(values))
    }

    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        try query(sql, values) { _ in true }
    }

    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow] {
        let rows = try Row.fetchCursor(try statement(sql, values), arguments: Self.arguments(values))
        var answer: [SQLRow] = []
        while let row = try rows.next() {
            let row = SQLRow(
                try (0..<row.count).map { column in
                    switch (row[column] as DatabaseValue).storage {
                    case .null: .null
                    case .int64(let integer): .integer(integer)
                    case .string(let text): .text(text)
                    case .blob(let data): .bytes(data)
                    case .double:
                        throw ServerError(.internalError, "The database answered with a fraction; it keeps none.")
                    }
                })
            guard try isWanted(row) else { break }
            answer.append(row)
        }
        return answer
    }

    /// Statements with few parameters are cached. Statements over row sets have varying lengths, so they are not.
    private func statement(_ sql: String, _ values: [SQLValue]) throws -> Statement {
        values.count <= 16 ? try database.cachedStatement(sql: sql) : try database.makeStatement(sql: sql)
    }

    private static func arguments(_ values: [SQLValue]) -> StatementArguments {
        StatementArguments(
            values.map { value in
                switch value {
                case .null: .null
                case .integer(let integer): integer.databaseValue
                case .text(let text): text.databaseValue
                case .bytes(let data): data.databaseValue
                }
            } as [DatabaseValue])
    }
}

extension ServerError {
    /// The error as a ``ServerError`` if it comes from SQLite; any other error is returned unchanged.
    static func translated(_ error: any Error) -> any Error {
        (error as? DatabaseError).map { ServerError($0) } ?? error
    }

    init(_ error: DatabaseError) {
        let cause = SQLiteFailure(error)
        switch error.resultCode {
        case .SQLITE_FULL:
            self.init(
                .busy, "The server's disk is full. Nothing was changed; try again later.", retryAfter: .seconds(60),
                cause: cause)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_INTERRUPT:
            self.init(
                .busy, "The database is locked. Nothing was changed; try again soon.", retryAfter: .seconds(1),
                cause: cause)
        case .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_NOTADB, .SQLITE_CORRUPT:
            self.init(
                .busy, "The database cannot be reached. Nothing was changed; try again later.",
                retryAfter: .seconds(30), cause: cause)
        default:
            self.init(.internalError, "The database refused a statement.", cause: cause)
        }
    }
}
