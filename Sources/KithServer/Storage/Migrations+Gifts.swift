extension Migrations {
    /// Public links with which people tick, and the gifts of wish lists.
    static func gifts(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            "ALTER TABLE link ADD COLUMN can_tick BIGINT NOT NULL DEFAULT 0",
            // `giver` is a hash. No record, feed or account refers to a row.
            """
            CREATE TABLE gift (
                list \(bytes) NOT NULL, item \(bytes) NOT NULL, giver \(bytes) NOT NULL, made BIGINT NOT NULL,
                PRIMARY KEY (list, item)
            )\(clustered)
            """,
        ]
    }
}
