import Foundation

/// Runs the statements of the nodes with pgbench, in a database whose rows have numbers instead of UUIDs.
final class NodeScripts {
    private static let database = "scripts"

    private let programs: String
    private let lists: Int
    private let folder: URL
    /// The folder of the scripts.
    private let scripts: URL
    /// The address of the database for clients with these settings.
    private let address: ([String]) -> String
    /// Each run makes records and numbers of its own.
    private var runs = 0

    /// The address of the database for its clients.
    var url: String { address([]) }

    /// Copies the database of the nodes, to which nobody may be connected.
    ///
    /// - Parameters:
    ///   - original: The database of the nodes.
    ///   - cluster: The PostgreSQL of both.
    ///   - lists: The number of people with a list of their own.
    ///   - folder: Where pgbench runs.
    /// - Throws: ``PeerProcess/Failed``.
    init(copying original: String, of cluster: PostgresCluster, lists: Int, in folder: URL) throws {
        (self.lists, self.folder) = (lists, folder)
        programs = cluster.programs
        scripts = Self.sources
        address = { cluster.url(of: NodeScripts.database, settings: $0) }
        try cluster.query("CREATE DATABASE \(Self.database) TEMPLATE \(original)")
        try cluster.run(file: Self.sources.appending(path: "numbers.sql"), in: Self.database)
    }

    /// The same people and lists in Citus, with the statements that it runs.
    init(in citus: CitusCopy, beside original: NodeScripts) {
        (programs, lists, folder) = (original.programs, original.lists, original.folder)
        scripts = citus.folder
        // The copy has what the runs until now have made.
        runs = original.runs
        address = { _ in citus.url }
    }

    private static let sources = URL(filePath: "Benchmarks/Nodes").absoluteURL

    /// Runs a script for some seconds, on a connection for each client. Returns how often it was run in a second, as
    /// pgbench has counted.
    func rate(of load: NodeLoad, clients: Int, seconds: Int) throws -> Double {
        let words = try run(load, clients: clients, ["--time=\(seconds)"])
        // “tps = 1691.911361 (without initial connection time)”
        let line = words.split(separator: "\n").first { $0.hasPrefix("tps = ") } ?? ""
        guard let rate = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) }) else {
            throw Mismatch(description: "pgbench has not said how fast it was: \(words)")
        }
        return rate
    }

    /// The statements that a script runs for one action.
    func statements(of load: NodeLoad, actions: Int, in cluster: PostgresCluster) throws -> StatementCounts {
        let start = try StatementCounts(in: Self.database, of: cluster)
        _ = try run(load, clients: 1, ["--transactions=\(actions)"], settings: StatementCounts.settings)
        return try StatementCounts(in: Self.database, of: cluster).each(of: actions, since: start)
    }

    private func run(
        _ load: NodeLoad, clients: Int, _ length: [String], settings: [String] = []
    ) throws -> String {
        runs += 1
        let values = [
            "lists=\(lists)", "clients=\(clients)", "hot=\(load == .oneList ? 1 : 0)", "n=\(runs * 100_000_000)",
            "known=0", "first=1", "most=1000000000", "page=201", "now=1795762930831", "collection=item",
            "applied=applied", "hash=Nhguy60fOsv6whuPASnd1A", #"stamps={"":[1795762930831,11,2681618603]}"#,
            "fields=\(Self.fields)",
        ]
        var command = ["\(programs)/pgbench", "--no-vacuum", "--protocol=prepared"]
        command += ["--client=\(clients)", "--jobs=\(min(clients, ProcessInfo.processInfo.activeProcessorCount))"]
        command += length
        command += values.map { "--define=\($0)" }
        command += ["--file=\(scripts.appending(path: load.script).path())", address(settings)]
        let words = try PeerProcess.run(command, in: folder)
        // pgbench goes on after a deadlock, and counts a failed transaction.
        try Mismatch.unless(words.contains("failed transactions: 0 "), "pgbench: \(words)")
        return words
    }

    /// The fields of an item, as a node stores them.
    private static let fields = """
        {"comment":"\(SampleItem.comment)","creator":"01a21bcf-c27d-7a44-8c45-ee36c8791511",\
        "position":"\(SampleItem.position(0))","title":"\(SampleItem.title(100))"}
        """
}
