import Foundation
import Testing

/// A change of a line that a planted bug stands beside would otherwise be noticed only by CI.
@Suite("The planted bugs") struct PlantedBugsTests {
    @Test("Each hunk of the patch still finds the lines that it changes")
    func everyHunkApplies() throws {
        let patch = try #require(House.standing.file("Tests/Planted/bugs.patch"))
        let hunks = Hunk.all(in: patch.lines)
        #expect(!hunks.isEmpty)
        for hunk in hunks {
            let lines = House.standing.file(hunk.path)?.lines ?? []
            #expect(
                hunk.applies(to: lines),
                "\(hunk.path): lines that the patch expects have changed. Mend it as Tests/Planted/README.md says.")
        }
    }

    @Test("A changed line is reported, a moved one is not")
    func changedLines() throws {
        let patch: [Substring] = [
            "--- a/Sources/A.swift", "+++ b/Sources/A.swift", "@@ -2,2 +2,3 @@",
            " one", "-two", "+2", "+two and a half",
        ]
        let hunk = try #require(Hunk.all(in: patch).first)
        #expect(hunk.path == "Sources/A.swift")
        #expect(hunk.applies(to: ["zero", "another", "one", "two", "three"]))
        #expect(!hunk.applies(to: ["zero", "one", "TWO", "three"]))
        #expect(!hunk.applies(to: []))
    }
}

/// One change of one place in a file, as `git diff` writes it.
private struct Hunk {
    /// The changed file, as seen from the root.
    let path: String
    /// The lines before the change.
    var before: [Substring] = []

    static func all(in patch: [Substring]) -> [Hunk] {
        var hunks: [Hunk] = []
        var path = ""
        for line in patch {
            if line.hasPrefix("diff ") || line.hasPrefix("index ") || line.hasPrefix("--- ") {
                continue
            } else if line.hasPrefix("+++ b/") {
                path = String(line.dropFirst(6))
            } else if line.hasPrefix("@@") {
                hunks.append(Hunk(path: path))
            } else if (line.hasPrefix(" ") || line.hasPrefix("-")) && !hunks.isEmpty {
                hunks[hunks.count - 1].before.append(line.dropFirst())
            }
        }
        return hunks
    }

    func applies(to lines: [Substring]) -> Bool {
        guard let first = before.first, lines.count >= before.count else { return before.isEmpty }
        return lines.indices.contains { start in
            lines[start] == first && lines[start...].starts(with: before)
        }
    }
}
