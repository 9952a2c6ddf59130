package import KithModel

/// What a finished copy has: the digests that are equal in both databases.
package struct CopyReport: Hashable, Sendable {
    /// A table.
    package struct Table: Hashable, Sendable {
        package let name: String
        package let digest: TableDigest
    }

    /// The id that both databases have.
    package let server: ServerID
    /// The epoch that both databases have.
    package let epoch: String
    /// The number of rows that this run has copied; those of an earlier run do not count.
    package let copied: Int
    /// The tables in the order of their names.
    package let tables: [Table]
    /// The number of feeds that were compared with their records.
    package let feeds: Int
    /// The feeds whose digests do not fit their records, in both databases.
    package let wrongFeeds: [FeedID]

    /// The number of rows of all tables.
    package var rows: Int { tables.reduce(0) { $0 + $1.digest.rows } }

    /// What the operator has to do after the database at `path` was copied.
    package static func nextSteps(afterCopying path: String) -> [String] {
        [
            "Keep the discovery keys: rename \(path).discovery-key to kith-server.discovery-key, in the folder in which the "
                + "server is started, or name their file with --discovery-key-file.",
            "Start the server with the new database, and never again with the old file: it would lose edits.",
        ]
    }

    /// A sentence about the feeds' digests, with the next step if some are wrong.
    package var verdict: String {
        if wrongFeeds.isEmpty { return "The digests of all \(feeds) feeds fit their records." }
        let wrong = wrongFeeds.map(\.description).joined(separator: ", ")
        return """
            The digests of these feeds do not fit their records, and neither do those in the old database: \(wrong). The \
            copy can be used: nothing is lost, but devices read these feeds again and again. Before you start the \
            server, run the same command with --json, which then only compares, and report this as a bug with its output.
            """
    }
}
