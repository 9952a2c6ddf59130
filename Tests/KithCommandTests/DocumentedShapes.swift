import Foundation

/// The shapes of JSON that Documentation/CommandLine.md lists, with their keys.
struct DocumentedShapes {
    private let shapes: [String: Set<String>]

    init() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Documentation/CommandLine.md")
        let table = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .drop { $0 != "| shape | keys |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        shapes = Dictionary(
            uniqueKeysWithValues: table.map { row in
                let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                let keys = cells[1].replacing(/\([^)]*\)/, with: "").matches(of: /`(\w+)`/).map { String($0.output.1) }
                return (cells[0], Set(keys))
            })
    }

    var names: Set<String> { Set(shapes.keys) }

    func keys(of shape: String) -> Set<String> { shapes[shape] ?? [] }
}
