/// The timeline of a PostgreSQL server. Each failover begins a higher one.
package struct PostgresTimeline: Hashable, Sendable {
    /// The cluster: a server and its replicas. Its number is chosen at random when it is created.
    package let cluster: Int64
    package let number: UInt32

    /// A query of the columns of ``init(_:)``, which each role may run unless an operator has forbidden it. A replica has no
    /// file.
    static let query = """
        SELECT system_identifier, CASE WHEN NOT pg_catalog.pg_is_in_recovery()
            THEN pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()) END
        FROM pg_catalog.pg_control_system()
        """

    package init(_ number: UInt32, of cluster: Int64) {
        (self.number, self.cluster) = (number, cluster)
    }

    /// The timeline in the name of a file of the write-ahead log: its first eight digits. Nil if it is no such name.
    package init?(file: String, of cluster: Int64) {
        guard file.utf8.count == 24, let number = UInt32(file.prefix(8), radix: 16) else { return nil }
        self.init(number, of: cluster)
    }

    /// The timeline in a row of ``query``; nil if there is none.
    init?(_ row: SQLRow) {
        guard let cluster = try? row.integer(0), let file = try? row.text(1) else { return nil }
        self.init(file: file, of: cluster)
    }

    /// Whether another server has taken over from one with this timeline, if there is one with `newest`.
    package func isOld(after newest: PostgresTimeline?) -> Bool {
        newest.map { cluster == $0.cluster && number < $0.number } ?? false
    }
}
