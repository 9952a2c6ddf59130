import Foundation
import Testing

/// The walks of the architecture page name files in call order. They would go stale without a test.
@Suite("Reading paths through the architecture") struct WalkTests {
    /// The numbered files of a walk, in parts: each part begins on another machine, or with another event.
    struct Walk: CustomTestStringConvertible {
        let title: String
        var parts: [[String]] = []

        var files: [String] { parts.flatMap(\.self) }
        var testDescription: String { title }
    }

    /// The walks of the page, each under a heading of its own.
    static let walks: [Walk] = {
        guard let page = House.standing.file("Documentation/Architecture.md") else { return [] }
        var walks: [Walk] = []
        var isInList = false
        for line in page.lines {
            if line.hasPrefix("## ") { walks.append(Walk(title: String(line.dropFirst(3)))) }
            guard !walks.isEmpty else { continue }
            if let path = line.firstMatch(of: /^\d+\. `([\w+\/]+\.swift)`/)?.1 {
                if !isInList { walks[walks.count - 1].parts.append([]) }
                let part = walks[walks.count - 1].parts.count - 1
                walks[walks.count - 1].parts[part].append("Sources/\(path)")
                isInList = true
            } else if !line.isEmpty {
                isInList = false
            }
        }
        return walks.filter { !$0.parts.isEmpty }
    }()

    @Test("The page walks an edit, a contact and a profile’s change, and says how many files the edit passes")
    func length() throws {
        #expect(Self.walks.map(\.title).map { $0.prefix(8) } == ["One edit", "One cont", "Two peop"])
        #expect(Self.walks.allSatisfy { (20...55).contains($0.files.count) })
        let page = try #require(House.standing.file("Documentation/Architecture.md"))
        let said = page.text.firstMatch(of: /The edit passes (\d+) files\./).flatMap { Int($0.1) }
        #expect(said == Self.walks.first?.files.count)
    }

    @Test("No file comes twice in a walk", arguments: walks) func once(walk: Walk) {
        #expect(Set(walk.files).count == walk.files.count)
    }

    @Test("Each file of a walk exists, and is named by a file before it, unless it begins a part", arguments: walks)
    func order(walk: Walk) {
        var earlier: Set<Substring> = []
        for part in walk.parts {
            for (index, path) in part.enumerated() {
                guard let file = House.standing.file(path) else {
                    Issue.record("\(path) does not exist.")
                    continue
                }
                let names = Self.names(in: file)
                let isNamed = names.contains { earlier.contains($0[...]) }
                #expect(index == 0 || isNamed, "\(path): no file before it names \(names).")
                earlier.formUnion(file.text.split { !($0.isLetter || $0.isNumber || $0 == "_") })
            }
        }
    }

    /// The types that a file declares or extends at its top, or for one system alone.
    private static func names(in file: House.File) -> [String] {
        let isForOneSystem = file.lines.first { !$0.hasPrefix("import ") && !$0.isEmpty }?.hasPrefix("#if") == true
        return file.lines.compactMap { line in
            let line = isForOneSystem && line.hasPrefix("    ") ? line.dropFirst(4) : line
            let extended = line.firstMatch(of: /^(?:public |package )?extension (\w+)/)?.1
            if let extended { return String(extended) }
            return Manners.topLevelType(line)
        }
    }
}
