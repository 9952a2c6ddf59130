import Foundation
import Testing

/// The walks of the architecture page name files in call order. They would go stale without a test.
@Suite("The walks through the architecture") struct WalkTests {
    /// The numbered files of one walk, in parts: each part begins on another machine, or with another event.
    private static let parts: [[String]] = {
        guard let page = House.standing.file("Documentation/Architecture.md") else { return [] }
        var parts: [[String]] = []
        var isInList = false
        for line in page.lines {
            if let path = line.firstMatch(of: /^\d+\. `([\w+\/]+\.swift)`/)?.1 {
                if !isInList { parts.append([]) }
                parts[parts.count - 1].append("Sources/\(path)")
                isInList = true
            } else if !line.isEmpty {
                isInList = false
            }
        }
        return parts
    }()

    @Test("An edit passes at most 45 files, each of them once") func length() {
        let files = Self.parts.flatMap(\.self)
        #expect((20...45).contains(files.count))
        #expect(Set(files).count == files.count)
    }

    @Test("Each file of a walk exists, and is named by a file before it, unless it begins a part") func order() {
        var earlier: Set<Substring> = []
        for part in Self.parts {
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

    /// The types that a file declares or extends at its top.
    private static func names(in file: House.File) -> [String] {
        file.lines.compactMap { line in
            let extended = line.firstMatch(of: /^(?:public |package )?extension (\w+)/)?.1
            if let extended { return String(extended) }
            return Manners.topLevelType(line)
        }
    }
}
