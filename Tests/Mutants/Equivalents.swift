import Foundation

/// The reviewed mutants that no test can kill, because nobody can tell them from the original: `equivalent.txt`.
struct Equivalents {
    /// One of them.
    struct Entry {
        let file: String
        let text: String
        let change: String
        let reason: String

        var key: String { "\(file)\t\(text)\t\(change)" }
    }

    let entries: [Entry]
    let keys: Set<String>

    init(_ repository: URL) throws {
        let place = repository.appending(path: "Tests/Mutants/equivalent.txt")
        let text = try String(contentsOf: place, encoding: .utf8)
        var entries: [Entry] = []
        var block: [Substring] = []
        let lines = (text + "\n").split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines where !line.hasPrefix("#") {
            if !line.isEmpty {
                block.append(line)
                continue
            }
            guard !block.isEmpty else { continue }
            guard block.count >= 4 else {
                throw Trouble(
                    "equivalent.txt: “\(block[0])” needs the text of a line, the change and the reason below it.")
            }
            entries.append(
                Entry(
                    file: String(block[0]), text: String(block[1]), change: String(block[2]),
                    reason: block[3...].joined(separator: " ")))
            block = []
        }
        self.entries = entries
        keys = Set(entries.map(\.key))
    }
}
