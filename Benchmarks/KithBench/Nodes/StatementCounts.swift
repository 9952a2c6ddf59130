import Foundation

/// Which statements PostgreSQL has run in a database for one action, and how often: what its extension
/// pg_stat_statements has counted.
struct StatementCounts {
    /// How often each statement was run, by its text with `?` for parameters and constants.
    private var counts: [String: Int] = [:]

    /// The options of a session whose statements are counted. The beginning and the end of transactions are not.
    static let settings = ["pg_stat_statements.track=top", "pg_stat_statements.track_utility=off"]

    /// Forgets all statements that were run so far.
    static func reset(in cluster: PostgresCluster) throws { try cluster.query("SELECT pg_stat_statements_reset()") }

    /// Reads the statements of these `actions`, which followed each other.
    ///
    /// What was run less than half as often is work in the background. So is the notice for other nodes, which the
    /// pushes of some milliseconds share.
    init(of actions: Int, in database: String, of cluster: PostgresCluster) throws {
        let rows = try cluster.query(
            #"""
            SELECT calls, regexp_replace(query, '\s+', ' ', 'g') FROM pg_stat_statements
            JOIN pg_database ON pg_database.oid = dbid WHERE datname = '\#(database)'
            """#)
        for row in rows {
            let parts = row.split(separator: "|", maxSplits: 1)
            guard parts.count == 2, let calls = Int(parts[0]) else { continue }
            let each = (calls + actions / 2) / actions
            if each == 0 || parts[1].contains("pg_notify") { continue }
            // pgbench does not tell PostgreSQL the types of its parameters, so some have a cast.
            let text = String(parts[1]).replacing(#/\$\d+(::\w+)?/#, with: "?")
            counts[text, default: 0] += each
        }
    }

    /// - Throws: ``Mismatch`` unless a script runs the same statements as a node, equally often.
    static func check(_ script: String, _ scripted: StatementCounts, _ node: StatementCounts) throws {
        try Mismatch.unless(!node.counts.isEmpty, "pg_stat_statements has not seen what a node runs.")
        let texts = Set(scripted.counts.keys).union(node.counts.keys).sorted()
        let differences = texts.compactMap { text -> String? in
            let (expected, found) = (node.counts[text] ?? 0, scripted.counts[text] ?? 0)
            return expected == found ? nil : "\(expected) times, and \(found) times in the script: \(text)"
        }
        try Mismatch.unless(
            differences.isEmpty,
            "A node does not run the statements of Benchmarks/Nodes/\(script):\n\(differences.joined(separator: "\n"))")
    }
}
