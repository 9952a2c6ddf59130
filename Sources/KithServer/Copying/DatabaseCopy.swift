package import KithModel

/// Copies the data of a server into an empty database, and compares the two.
///
///     empty ──begin──▶ unfinished ──fill──▶ compare ──equal──▶ finish ──▶ finished
///                          ▲                   │
///                          └─────── differs ───┘
///
/// Every table of the unfinished copy has the first rows of the source's table, in the order of the key. So a copy that
/// was killed leaves nothing to clean up: the next one compares the rows that are there with the source, and goes on
/// behind them. If they differ, because the source was changed in between, it begins the table again. The tables and
/// their keys come from the catalogue of the source, so a new table is copied without being named here.
///
/// No server opens an unfinished copy: the last transaction writes the id of the server, the epoch and the version.
///
/// The copy has the revisions of the source, and the number in the table `revision`, on which the revisions of later
/// commits are based. Therefore, a token of a device means the same in both databases, and the device goes on without a
/// snapshot.
package struct DatabaseCopy: Sendable {
    /// The databases differ although everything was copied.
    package static let differs = Problem.Code(rawValue: "differs")
    /// How often a table that differs is copied again.
    private static let passes = 3

    private let source: any Database
    private let target: any Database
    private let progress: CopyProgress
    private let whenCommitted: @Sendable () throws -> Void

    private enum Standing: Sendable {
        case unfinished
        case finished
    }

    private struct Measures: Sendable {
        var digests: [String: TableDigest] = [:]
        var feeds = FeedCheck()
    }

    /// A copy of the data of `source` to `target`.
    ///
    /// - Parameters:
    ///   - source: The database of a server that does not run.
    ///   - target: An empty database, or one with an unfinished copy of the same server.
    ///   - progress: Learns how far the copy is.
    ///   - whenCommitted: Called after each transaction of the target. Tests throw an error here to end the copy.
    package init(
        from source: any Database, to target: any Database, progress: CopyProgress = CopyProgress(),
        whenCommitted: @escaping @Sendable () throws -> Void = {}
    ) {
        self.source = source
        self.target = target
        self.progress = progress
        self.whenCommitted = whenCommitted
    }

    /// Copies what the target lacks, and compares all tables. A finished copy is only compared.
    ///
    /// - Throws: ``ServerError`` with the code `conflict` if the target has other data, ``differs`` if the databases
    ///   differ at the end, or `busy` if a database is unavailable. The copy goes on when it is run again.
    package func run() async throws -> CopyReport {
        let all = try await source.read { try StoredTable.all(in: $0) }
        let standing = try await begin(with: all)
        let tables = all.filter { $0.name != Meta.table }
        let total = try await source.read { transaction in
            try tables.reduce(0) { try $0 + transaction.count("SELECT count(*) FROM \($1.name)") }
        }
        var copied = 0
        var differing = tables
        for _ in 0..<Self.passes {
            if standing == .unfinished {
                progress.begin(total)
                for table in differing {
                    let rows = try await fill(table)
                    copied += rows
                }
            }
            progress.begin(2 * total)
            let measures = try await measure(tables, in: target)
            let wanted = try await measure(tables, in: source)
            differing = tables.filter { measures.digests[$0.name] != wanted.digests[$0.name] }
            if differing.isEmpty {
                if standing == .unfinished { try await finish() }
                return try await report(measures, copied: copied)
            }
            if standing == .finished {
                throw ServerError(
                    .conflict,
                    "The copy was finished, and one of the two databases was changed since. Nothing was changed now. "
                        + "To copy again, name an empty database.")
            }
        }
        let names = differing.map(\.name).joined(separator: ", ")
        throw ServerError(
            Self.differs,
            "After \(Self.passes) attempts, these tables still differ: \(names). The copy is not finished. "
                + "Stop every program that writes to one of the databases, and run the same command again.")
    }

    // MARK: Steps

    /// Makes the tables of an empty target, or recognises a copy of this source.
    private func begin(with tables: [StoredTable]) async throws -> Standing {
        guard tables.allSatisfy({ !$0.keyNames.isEmpty }) else {
            throw ServerError(.internalError, "A table has no primary key, so its rows have no order.")
        }
        let standing = try await target.write { [server = source.server] transaction -> Standing in
            let present = try StoredTable.all(in: transaction)
            if present.isEmpty {
                try Migrations().run(in: transaction)
                guard try StoredTable.all(in: transaction) == tables else {
                    throw ServerError(.internalError, "The databases have different tables. Nothing was changed.")
                }
                // The migrations also insert some rows.
                for table in tables { try transaction.execute("DELETE FROM \(table.name)") }
                try Meta.set(Meta.copyName, to: server.description, in: transaction)
                return .unfinished
            }
            guard present == tables else { throw Self.occupied }
            if let copied = try Meta.value(Meta.copyName, in: transaction) {
                guard copied == server.description else { throw Self.occupied }
                return .unfinished
            }
            guard try Meta.server(in: transaction) == server else { throw Self.occupied }
            return .finished
        }
        try whenCommitted()
        return standing
    }

    private static let occupied = ServerError(
        .conflict,
        "The target has other data: tables of another program, of another version, or of another server. Nothing was "
            + "changed. Name an empty database.")

    /// Completes a table of the target.
    ///
    /// - Returns: The number of rows that were copied.
    private func fill(_ table: StoredTable) async throws -> Int {
        progress.turn(to: "Copying \(table.name)")
        let there = try await target.read { try Self.digest(of: table, in: $0) }
        var scan = TableScan(table, after: there.last)
        if there.digest.rows > 0 {
            let same = try await source.read { try Self.digest(of: table, upTo: there.digest.rows, in: $0).digest }
            if same == there.digest {
                progress.count(same.rows)
            } else {
                try await target.write { try $0.execute("DELETE FROM \(table.name)") }
                try whenCommitted()
                scan = TableScan(table)
            }
        }
        var copied = 0
        while true {
            let (next, rows) = try await source.read { [scan] transaction in
                var scan = scan
                let rows = try scan.next(in: transaction)
                return (scan, rows)
            }
            if rows.isEmpty { return copied }
            scan = next
            try await insert(rows, into: table)
            try whenCommitted()
            copied += rows.count
            progress.count(rows.count)
        }
    }

    private func insert(_ rows: [SQLRow], into table: StoredTable) async throws {
        do {
            try await target.write { transaction in
                // Rows that exist are replaced, so that two copies at the same time do no harm.
                try transaction.insert(
                    into: table.name, table.columnNames, rows.map(\.withoutNUL.values), replacing: table.keyNames)
            }
        } catch let error as ServerError where error.code == .malformed {
            throw ServerError(
                .conflict, "A row of the table \(table.name) cannot be stored. \(error.sentence)", cause: error)
        }
    }

    /// Reads all rows of one snapshot.
    private func measure(_ tables: [StoredTable], in database: any Database) async throws -> Measures {
        try await database.read { [progress] transaction in
            var measures = Measures()
            for table in tables {
                progress.turn(to: "Comparing \(table.name)")
                let digest = try Self.digest(of: table, in: transaction) { row in
                    try measures.feeds.add(row, of: table)
                    progress.count(1)
                }.digest
                measures.digests[table.name] = digest
            }
            return measures
        }
    }

    /// The digest of a table's first rows, at most `limit`, and the key of the last row that was read.
    private static func digest(
        of table: StoredTable, upTo limit: Int = .max, in transaction: any Transaction,
        _ take: (SQLRow) throws -> Void = { _ in }
    ) throws -> (digest: TableDigest, last: [SQLValue]?) {
        var scan = TableScan(table)
        var digest = TableDigest()
        while digest.rows < limit {
            let rows = try scan.next(in: transaction)
            if rows.isEmpty { break }
            for row in rows.prefix(limit - digest.rows).lazy.map(\.withoutNUL) {
                digest.add(row)
                try take(row)
            }
        }
        return (digest, scan.place)
    }

    /// Makes the target a server's database, with the id and the epoch of the source.
    private func finish() async throws {
        let rows = try await source.read { transaction in
            // The incarnation is that of the file.
            try transaction.query(
                "SELECT name, value FROM meta WHERE name <> ? ORDER BY name", [.text(Meta.incarnationName)])
        }
        try await target.write { transaction in
            try transaction.execute("DELETE FROM meta")
            try transaction.insert(into: Meta.table, ["name", "value"], rows.map(\.values))
        }
        try whenCommitted()
    }

    private func report(_ measures: Measures, copied: Int) async throws -> CopyReport {
        CopyReport(
            server: source.server, epoch: try await source.read { try Meta.epoch(in: $0) }, copied: copied,
            tables: measures.digests.sorted { $0.key < $1.key }
                .map { CopyReport.Table(name: $0.key, digest: $0.value) },
            feeds: measures.feeds.count, wrongFeeds: measures.feeds.wrong)
    }
}

extension SQLRow {
    /// The row without NUL characters, because PostgreSQL cannot store them. Older versions of the server have taken some from
    /// clients.
    fileprivate var withoutNUL: SQLRow {
        values.contains(where: \.hasNUL) ? SQLRow(values.map(\.withoutNUL)) : self
    }
}

extension SQLValue {
    fileprivate var hasNUL: Bool {
        if case .text(let text) = self { text.utf8.contains(0) } else { false }
    }

    fileprivate var withoutNUL: SQLValue {
        guard case .text(let text) = self else { return self }
        return .text(String(decoding: text.utf8.filter { $0 != 0 }, as: UTF8.self))
    }
}
