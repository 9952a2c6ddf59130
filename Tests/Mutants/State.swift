import Foundation

/// What is kept from run to run, in one folder.
struct State {
    let folder: URL

    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    // MARK: Refused by the compiler

    /// The keys of the mutants that did not compile.
    func refused() throws -> Set<String> {
        let text = (try? String(contentsOf: folder.appending(path: "refused.txt"), encoding: .utf8)) ?? ""
        return Set(text.split(separator: "\n").map(String.init))
    }

    func refuse(_ keys: some Sequence<String>) throws {
        let all = try refused().union(keys).sorted()
        try Data((all.joined(separator: "\n") + "\n").utf8).write(to: folder.appending(path: "refused.txt"))
    }

    // MARK: The mutants of the build

    func manifest() throws -> MutatedCopy.Manifest {
        try JSONDecoder().decode(
            MutatedCopy.Manifest.self, from: Data(contentsOf: folder.appending(path: "manifest.json")))
    }

    func write(_ manifest: MutatedCopy.Manifest) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try encoder.encode(manifest).write(to: folder.appending(path: "manifest.json"), options: .atomic)
    }

    // MARK: Results

    /// The last result of each mutant that was run, by key.
    func results() throws -> [String: Result] {
        let text = (try? String(contentsOf: folder.appending(path: "results.jsonl"), encoding: .utf8)) ?? ""
        var results: [String: Result] = [:]
        for line in text.split(separator: "\n") {
            // A run that was ended in the middle of a line loses that line only.
            guard let result = try? JSONDecoder().decode(Result.self, from: Data(line.utf8)) else { continue }
            results[result.key] = result
        }
        return results
    }

    func append(_ result: Result) throws {
        let place = folder.appending(path: "results.jsonl")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let line = try encoder.encode(result) + Data("\n".utf8)
        if let file = try? FileHandle(forWritingTo: place) {
            try file.seekToEnd()
            try file.write(contentsOf: line)
            try file.close()
        } else {
            try line.write(to: place)
        }
    }
}
