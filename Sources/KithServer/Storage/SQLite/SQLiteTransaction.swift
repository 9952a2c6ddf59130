import Foundation
import GRDB
import KithModel

/// A transaction on a connection of GRDB.
struct SQLiteTransaction: Transaction {
    private let database: GRDB.Database
    private let frequent: FrequentStatements?
    private let recent: RecentStatements?

    /// A transaction on a connection of GRDB.
    ///
    /// - Parameters:
    ///   - database: The connection.
    ///   - frequent: Keeps the connection's statements with few parameters; GRDB does if it is nil.
    ///   - recent: Keeps its statements over long row sets; nobody does if it is nil.
    init(_ database: GRDB.Database, frequent: FrequentStatements? = nil, recent: RecentStatements? = nil) {
        self.database = database
        self.frequent = frequent
        self.recent = recent
    }

    /// The most parameters of a statement that stays prepared as long as the connection.
    private static let cachedParameters = 48

    var dialect: Dialect { .sqlite }

    func execute(_ sql: String, _ values: [SQLValue]) throws {
        try statement(sql, values).run(values) { _ in true }
    }

    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        try query(sql, values) { _ in true }
    }

    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow] {
        var answer: [SQLRow] = []
        try statement(sql, values).run(values) { row in
            guard try isWanted(row) else { return false }
            answer.append(row)
            return true
        }
        return answer
    }

    /// Statements with few parameters are cached, also those over a few rows. Statements over long row sets have varying
    /// lengths, so only the last ones are kept.
    private func statement(_ sql: String, _ values: [SQLValue]) throws -> SQLiteStatement {
        if values.count <= Self.cachedParameters {
            let known = SQLiteStatement(
                try frequent?.statement(sql, in: database) ?? database.cachedStatement(sql: sql))
            // A query inside the loop over the same query's rows needs a statement of its own.
            if !known.isRunning { return known }
        } else if let recent {
            return try recent.statement(sql, parameters: values.count, in: database)
        }
        return SQLiteStatement(try database.makeStatement(sql: sql))
    }
}
