import Foundation

/// Which folders have mutants, and which tests are run against those of each: `folders.txt`.
struct TestFolders {
    /// A folder of sources with its folders of tests, the nearest first.
    struct Row {
        let source: String
        let tests: [String]
    }

    let rows: [Row]
    private let repository: URL

    var sources: [String] { rows.map(\.source) }

    init(_ repository: URL) throws {
        self.repository = repository
        let table = try String(contentsOf: repository.appending(path: "Tests/Mutants/folders.txt"), encoding: .utf8)
        rows = table.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard !line.hasPrefix("#"), parts.count == 2 else { return nil }
            return Row(
                source: String(parts[0]), tests: parts[1].split(separator: " ").map { "Tests/\($0)" })
        }
    }

    /// The folders of sources that a person means: `Outbox`, or `KithServer/Sync`, or a file.
    func matching(_ word: String) throws -> [Row] {
        let name = word.hasSuffix("/") ? String(word.dropLast()) : word
        let found = rows.filter { row in
            row.source == name || row.source.hasSuffix("/" + name) || name.hasPrefix(row.source + "/")
        }
        guard !found.isEmpty else {
            throw Trouble("There is no folder “\(word)” with mutants. There are: \(sources.joined(separator: ", ")).")
        }
        return found
    }

    /// The types that the Swift files of a folder of tests declare, with their target.
    func suites(in folder: String) throws -> Set<String> {
        let target = folder.split(separator: "/")[1]
        let place = repository.appending(path: folder)
        var suites: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: place.path(percentEncoded: false))
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: place.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /(?:struct|class|enum|actor)\s+(\w+)/) {
                suites.insert("\(target).\(match.1)")
            }
        }
        return suites
    }
}
