import BenchReport
import Foundation

/// Measures pushes and rounds on one, two and three nodes that share a PostgreSQL, beside the same statements from
/// pgbench in the same PostgreSQL; and these statements in Citus, if it is installed.
final class NodeStudy {
    private static let database = "kith"
    /// The connections of the devices to all nodes together. As many people share a list.
    private static let connections = 64
    /// The connections of a node to PostgreSQL, unless `--database-connections` says otherwise.
    private static let databaseConnections = 16
    /// How often an action is repeated for its statements to be counted.
    private static let probes = 20

    private let run: Run
    private let cluster: PostgresCluster
    private let crowd = NodeCrowd()
    private let lists: Int

    static func measure(_ run: Run) throws {
        guard let study = try NodeStudy(run) else {
            return run.remark("PostgreSQL is not installed. ./bench nodes installs it.")
        }
        try study.measure()
    }

    /// Starts PostgreSQL; nil if it is not installed.
    private init?(_ run: Run) throws {
        self.run = run
        lists = run.size(1_000, smoke: 100)
        // Three nodes and pgbench have more connections than the default permits. Statements are counted only for
        // clients that ask for it.
        let settings = [
            "max_connections=200", "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=none",
        ]
        guard let cluster = try PostgresCluster(in: run.folder, settings: settings) else { return nil }
        self.cluster = cluster
    }

    deinit { cluster.stop() }

    private func measure() throws {
        let statements = try fill()
        let scripts = try NodeScripts(copying: Self.database, of: cluster, lists: lists, in: run.folder)
        for (load, node) in [(NodeLoad.manyLists, statements.push), (NodeLoad.rounds, statements.round)] {
            let found = try scripts.statements(of: load, actions: Self.probes, in: cluster)
            try StatementCounts.check(load.script, found, node)
        }
        for count in 1...3 { try measure(count, beside: scripts) }
        try measureSizes()
        guard let citus = try CitusCopy(of: scripts.url, in: run.folder) else {
            return run.remark("Citus is not installed, so its lines are missing. ./bench nodes --citus builds it.")
        }
        try measure(citus, beside: scripts)
    }

    private func serve(_ settings: [String] = []) throws -> KithServe {
        try KithServe(run.kith, postgres: cluster.url(of: Self.database, settings: settings), in: run.folder)
    }

    // MARK: Filling

    /// Makes the people and lists, and counts the statements of a node for a push and for a round.
    private func fill() throws -> (push: StatementCounts, round: StatementCounts) {
        try cluster.query("CREATE EXTENSION pg_stat_statements")
        try cluster.query("CREATE DATABASE \(Self.database)")
        let node = try serve(StatementCounts.settings)
        defer { node.stop() }
        let empty = try size()
        try crowd.addPeople(lists, port: node.port)
        try compact()
        run.line(
            "an account with a list of \(NodeCrowd.items) items, in PostgreSQL",
            .bytes(Double(try size() - empty) / Double(lists)))
        try crowd.addMembers(Self.connections, port: node.port)
        let counts = (push: try statements(of: .manyLists, node), round: try statements(of: .rounds, node))
        node.stop()
        try compact()
        return counts
    }

    /// The statements that a node runs for an action of one device, while nothing else happens.
    private func statements(of load: NodeLoad, _ node: KithServe) throws -> StatementCounts {
        let connection = HTTPConnection(port: node.port)
        let person = crowd.alone[0]
        func act() throws {
            let request = load == .rounds ? person.device.request() : person.push()
            try person.device.glance(at: connection.ask(request))
        }
        try act()
        let start = try StatementCounts(in: Self.database, of: cluster)
        for _ in 0..<Self.probes { try act() }
        return try StatementCounts(in: Self.database, of: cluster).each(of: Self.probes, since: start)
    }

    /// Leaves no free space in the tables, so that both databases begin alike.
    private func compact() throws { try cluster.query("VACUUM (FULL, ANALYZE)", in: Self.database) }

    private func size() throws -> Int {
        Int(try cluster.query("SELECT pg_database_size('\(Self.database)')").first ?? "") ?? 0
    }

    // MARK: Measuring

    private func measure(_ count: Int, beside scripts: NodeScripts) throws {
        let nodes = try (0..<count).map { _ in try serve() }
        defer { for node in nodes { node.stop() } }
        let connections = (0..<Self.connections).map { HTTPConnection(port: nodes[$0 % count].port) }
        let seconds = run.size(8, smoke: 1)
        for load in NodeLoad.allCases {
            let title = "\(count == 1 ? "1 node" : "\(count) nodes"): \(load.title(lists: lists))"
            // Prepares the statements on all connections, and shows how many actions fit in the time.
            let first = try crowd.rate(of: run.size(2_000, smoke: 200), load, on: connections)
            let actions = max(Self.connections, min(Int(first * Double(seconds)), load.most))
            var (rates, scripted): ([Double], [Double]) = ([], [])
            var costs = NodeCosts()
            for _ in 0..<run.size(3, smoke: 1) {
                let start = try NodeCosts.Reading(nodes, cluster)
                rates.append(try crowd.rate(of: actions, load, on: connections))
                costs.add(actions, from: start, to: try NodeCosts.Reading(nodes, cluster))
                let before = cluster.processorTime
                let rate = try scripts.rate(of: load, clients: count * Self.databaseConnections, seconds: seconds)
                costs.add(scripted: rate * Double(seconds), cluster.processorTime - before)
                scripted.append(rate)
            }
            run.line(
                title, .perSecond(rates.median), beside: .init("pgbench", .perSecond(scripted.median)),
                wanted: load == .rounds ? nil : .atLeastTimes(0.7))
            show(costs, of: title)
        }
    }

    private func show(_ costs: NodeCosts, of title: String) {
        run.line("\(title): processor time of the nodes", .time(costs.nodes))
        run.line(
            "\(title): processor time of PostgreSQL", .time(costs.postgres),
            beside: .init("with pgbench", .time(costs.postgresAlone)))
        run.line("\(title): processor time of the devices", .time(costs.loadGenerator))
        run.line("\(title): bytes of PostgreSQL's log", .bytes(costs.log))
    }

    /// Measures the scripts in Citus, beside those in one PostgreSQL.
    private func measure(_ citus: CitusCopy, beside scripts: NodeScripts) throws {
        defer { citus.stop() }
        for refusal in try citus.refusals() { run.remark(refusal) }
        let sharded = NodeScripts(in: citus, beside: scripts)
        let seconds = run.size(8, smoke: 1)
        for load in NodeLoad.allCases {
            var (rates, alone): ([Double], [Double]) = ([], [])
            for _ in 0..<run.size(3, smoke: 1) {
                rates.append(try sharded.rate(of: load, clients: Self.databaseConnections, seconds: seconds))
                alone.append(try scripts.rate(of: load, clients: Self.databaseConnections, seconds: seconds))
            }
            run.line(
                "Citus with 3 workers, from pgbench: \(load.title(lists: lists))", .perSecond(rates.median),
                beside: .init("1 PostgreSQL", .perSecond(alone.median)))
        }
    }

    /// What a row takes with its indexes, after the pushes.
    private func measureSizes() throws {
        for (table, what) in [("record", "an item"), ("taken", "the outcome of a mutation")] {
            try cluster.query("VACUUM \(table)", in: Self.database)
            let row = try cluster.query(
                "SELECT pg_total_relation_size('\(table)') / count(*) FROM \(table)", in: Self.database)
            run.line("\(what), in PostgreSQL with its indexes", .bytes(Double(row.first ?? "") ?? 0))
        }
    }
}
