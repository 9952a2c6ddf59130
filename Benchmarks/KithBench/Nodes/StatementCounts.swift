import Foundation

/// Which statements PostgreSQL has run in a database, and how often: what its extension pg_stat_statements has counted.
struct StatementCounts {
    /// How often each statement was run, by its text with `?` for parameters and constants.
    private var counts: [String: Int] = [:]

    /// The options of a session whose statements are counted. The beginning and the end of transactions are not.
    static let settings = ["pg_stat_statements.track=top", "pg_stat_statements.track_utility=off"]

    /// Reads what was run so far.
    ///
    /// The extension is never reset. It would then find statements that are prepared already, and show their constants.
    init(in database: String, of cluster: PostgresCluster) throws {
        let rows = try cluster.query(
            #"""
            SELECT calls, regexp_replace(query, '\s+', ' ', 'g') FROM pg_stat_statements
            JOIN pg_database ON pg_database.oid = dbid WHERE datname = '\#(database)'
            """#)
        for row in rows {
            let parts = row.split(separator: "|", maxSplits: 1)
            guard parts.count == 2, let calls = Int(parts[0]) else { continue }
            // pgbench does not tell PostgreSQL the types of its parameters, so some have a cast.
            // It has no arrays either, so the text makes one.
            let text = String(parts[1]).replacing(#/\$\d+(::\w+)?/#, with: "?")
            counts[text.replacing(#/ARRAY\[[?, ]+\]/#, with: "?"), default: 0] += calls
        }
    }

    /// What was run since `start`, for each of these actions.
    ///
    /// What was run less than half as often is work in the background. So is the notice for other nodes, which the
    /// pushes of some milliseconds share.
    func each(of actions: Int, since start: StatementCounts) -> StatementCounts {
        var each = self
        each.counts = [:]
        for (text, count) in counts where !text.contains("pg_notify") {
            let calls = count - (start.counts[text] ?? 0)
            if calls * 2 >= actions { each.counts[text] = (calls + actions / 2) / actions }
        }
        return each
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
