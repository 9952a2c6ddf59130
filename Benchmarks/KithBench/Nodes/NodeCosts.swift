import Foundation

/// What the processes have used, added up over the turns of a load.
struct NodeCosts {
    /// The processor time of the nodes, of PostgreSQL and of this program, and the bytes of PostgreSQL's log of
    /// changes (WAL).
    struct Reading {
        var nodes = Duration.zero
        var postgres = Duration.zero
        var loadGenerator = Duration.zero
        var log = 0

        init() {}

        init(_ nodes: [KithServe], _ cluster: PostgresCluster) throws {
            self.nodes = nodes.reduce(.zero) { $0 + $1.usage.processorTime }
            postgres = cluster.processorTime
            loadGenerator = ProcessUsage().processorTime
            log = Int(try cluster.query("SELECT pg_current_wal_insert_lsn() - '0/0'").first ?? "") ?? 0
        }
    }

    private var sum = Reading()
    private var actions = 0
    private var scripted = Duration.zero
    private var scriptedActions = 0.0

    /// Adds a turn of the nodes.
    mutating func add(_ actions: Int, from start: Reading, to end: Reading) {
        self.actions += actions
        sum.nodes += end.nodes - start.nodes
        sum.postgres += end.postgres - start.postgres
        sum.loadGenerator += end.loadGenerator - start.loadGenerator
        sum.log += end.log - start.log
    }

    /// Adds a turn of pgbench, in which PostgreSQL has used this processor time.
    mutating func add(scripted actions: Double, _ time: Duration) {
        scripted += time
        scriptedActions += actions
    }

    /// What one action has used. There was at least one of each.
    var nodes: Duration { sum.nodes / Double(max(1, actions)) }
    var postgres: Duration { sum.postgres / Double(max(1, actions)) }
    var loadGenerator: Duration { sum.loadGenerator / Double(max(1, actions)) }
    var log: Double { Double(sum.log) / Double(max(1, actions)) }
    /// What one action of pgbench has used of PostgreSQL.
    var postgresAlone: Duration { scripted / max(1, scriptedActions) }
}
