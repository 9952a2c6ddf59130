import Foundation

/// A database in Citus, whose tables are distributed over three workers: `Benchmarks/Nodes/citus`.
final class CitusCopy {
    /// Where the scripts for pgbench are, with the statements that Citus runs.
    let folder: URL
    /// The address of the database for its clients.
    let url: String
    private let process: PeerProcess

    /// Copies a database with the numbers of `numbers.sql`; nil if Citus is not installed.
    ///
    /// - Parameters:
    ///   - original: The address of the database.
    ///   - place: The folder in which the copy gets one of its own.
    /// - Throws: ``PeerProcess/Failed`` if it does not start, or if it runs other statements than expected.
    init?(of original: String, in place: URL) throws {
        let installed = URL(filePath: ".build/peers/citus/usr/lib/postgresql").absoluteURL.path()
        guard let programs = PostgresCluster.programs(in: installed) else { return nil }
        let folder = place.appending(path: "citus")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = URL(filePath: "Benchmarks/Nodes/citus").absoluteURL.path()
        let process = try PeerProcess([program, programs, original, folder.path()], in: place)
        let ready = folder.appending(path: "url")
        try process.wait { FileManager.default.fileExists(atPath: ready.path()) }
        url = try String(contentsOf: ready, encoding: .utf8)
        (self.folder, self.process) = (folder, process)
    }

    deinit { stop() }

    func stop() { process.stop() }

    /// The statements of a node that Citus refuses, each with the reason. The scripts have others in their place.
    func refusals() throws -> [String] {
        let text = try String(contentsOf: folder.appending(path: "refused"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }
}
