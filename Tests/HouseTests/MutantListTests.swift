import Foundation
import Testing

/// What the mutants' lists point at moves when the sources do.
@Suite("The mutants' lists") struct MutantListTests {
    @Test("Each equivalent mutant still has its line, and a reason")
    func equivalentsHaveTheirLines() throws {
        let list = try #require(House.standing.file("Tests/Mutants/equivalent.txt"))
        for block in Self.blocks(of: list.text) {
            guard block.count >= 4 else {
                Issue.record("“\(block.joined(separator: " | "))” is not a file, a line, a change and a reason.")
                continue
            }
            let lines = House.standing.file(block[0])?.lines.map(Self.spaced) ?? []
            #expect(lines.contains(block[1]), "\(block[0]) has no line “\(block[1])”: review its mutants again.")
        }
    }

    @Test("Every folder with mutants exists, and so do the folders of its tests")
    func foldersExist() throws {
        let list = try #require(House.standing.file("Tests/Mutants/folders.txt"))
        let rows = list.lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        #expect(!rows.isEmpty)
        for row in rows {
            let parts = row.split(separator: ":").map(String.init)
            try #require(parts.count == 2, "“\(row)” is not a folder with its tests.")
            #expect(House.standing.paths.contains(parts[0]), "There is no folder \(parts[0]).")
            for tests in parts[1].split(separator: " ") {
                #expect(House.standing.paths.contains("Tests/\(tests)"), "There is no folder Tests/\(tests).")
            }
        }
    }

    @Test("Blocks are parted by empty lines; remarks are none")
    func blocks() {
        #expect(Self.blocks(of: "# one\na\nb\n\n\nc\n") == [["a", "b"], ["c"]])
        #expect(Self.blocks(of: "# nothing\n").isEmpty)
    }

    static func blocks(of text: String) -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("#") }
        return lines.split(separator: "").map { $0.map(String.init) }
    }

    /// A line as the list has it: single spaces, none at its ends.
    static func spaced(_ line: Substring) -> String {
        line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
