import Foundation
import Simulation
import Testing

@Suite("The published matrix of versions") struct VersionMatrixTests {
    /// The lines of the page that this suite compares with what runs.
    private static let page: [String] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try? String(contentsOf: root.appending(path: "Documentation/Compatibility.md"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }()

    /// The cells of the first table with this heading in its first column, without the heading and without that column.
    private static func table(_ heading: String) -> [[String]] {
        page.drop { !$0.hasPrefix("| \(heading) |") }.prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.split(separator: "|").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The fewest worlds of a cell.
    private static let fewest: UInt64 = 3
    /// The most worlds, until everything has happened that the page has.
    private static let most: UInt64 = 40

    @Test(
        "Law 12: Clients of each version and newer ones share lists through a server of each version, as the page says",
        arguments: VersionPair.all)
    func cell(pair: VersionPair) async throws {
        let rows = Self.table("clients")
        let published = try #require(rows.indices.contains(pair.client) ? rows[pair.client] : nil)
        try #require(published.count == Self.window.count)
        var exchange = Exchange()
        var subjects = ""
        // The newest version knows all fields.
        var hasKept = pair.client == 0
        for seed in 1...Self.most {
            exchange = exchange + (try await pair.run(seed: seed))
            subjects = exchange.subjects.map(\.rawValue).joined(separator: ", ")
            hasKept = hasKept || exchange.kept > 0
            if seed >= Self.fewest, hasKept, subjects == published[pair.server] { break }
        }
        #expect(subjects == published[pair.server], "\(pair)")
        #expect(hasKept, "No older client has edited a record with a newer field.")
    }

    @Test("The page names the versions, and what each does not know") func versions() {
        let published = Self.table("version")
        let known = Self.window.map { _, version in
            [version.unknownNames.isEmpty ? "–" : version.unknownNames.map { "`\($0)`" }.joined(separator: ", ")]
        }
        #expect(published == known)
    }

    @Test("The page’s matrix has a row and a column for each version, in this order") func headings() {
        let names = Self.window.map { VersionPair.name($0.older) }
        let columns = names.map { "server \($0)" }.joined(separator: " | ")
        #expect(Self.page.contains("| clients | \(columns) |"))
        let rows = Self.page.drop { !$0.hasPrefix("| clients |") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
        #expect(rows.map { $0.split(separator: "|").first?.trimmingCharacters(in: .whitespaces) ?? "" } == names)
    }

    private static let window = Version.window.enumerated().map { (older: $0.offset, version: $0.element) }
}
