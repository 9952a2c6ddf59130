import Foundation
import Testing

/// The documents, held to what they point at.
@Suite("The documents") struct DocumentationTests {
    let house = House.standing

    @Test("Every relative link leads somewhere", arguments: House.standing.markdown)
    func linksResolve(file: House.File) {
        let folder = file.path.split(separator: "/").dropLast().map(String.init)
        for link in Markdown.links(in: file.text) {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let target = Markdown.resolve(String(parts[0]), from: folder)
            let path = parts[0].isEmpty ? file.path : target
            #expect(path.map(house.paths.contains) == true, "“\(link)” leads nowhere.")
            if parts.count == 2, let path, let page = house.file(path) {
                #expect(Markdown.anchors(in: page.text).contains(String(parts[1])), "“\(link)”: no such heading.")
            }
        }
    }

    @Test("Every page is reached from the README or from another page")
    func noPageIsAnIsland() {
        let linked = Set(
            house.markdown.flatMap { file in
                let folder = file.path.split(separator: "/").dropLast().map(String.init)
                return Markdown.links(in: file.text).compactMap {
                    Markdown.resolve(String($0.prefix { $0 != "#" }), from: folder)
                }
            })
        // What a program carries with it is no page.
        for page in house.markdown where page.path != "README.md" && !page.path.contains("/Resources/") {
            let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
            #expect(linked.contains(page.path) || linked.contains(folder), "No page links to \(page.path).")
        }
    }

    @Test(
        "The examples in the pages are the snippets that are compiled",
        arguments: House.standing.swift(under: "Snippets"))
    func pagesShowTheSnippets(snippet: House.File) throws {
        let mark = "<!-- \(snippet.path) -->"
        let page = try #require(house.markdown.first { $0.text.contains(mark) }, "No page shows \(snippet.path).")
        #expect(Markdown.block(after: mark, in: page.text) == snippet.text)
    }

    @Test("The command line's page tells every exit code")
    func exitCodesAreTold() throws {
        let source = try #require(house.file("Sources/KithCommand/Console/Failure.swift"))
        let page = try #require(house.file("Documentation/CommandLine.md"))
        let codes = source.text.matches(of: /case \w+ = (\d+)/).map { String($0.1) }
        #expect(!codes.isEmpty)
        #expect(codes == Markdown.column("code", in: page.text))
    }

    @Test("The changelog has a place for what comes next")
    func changelogHasASection() throws {
        let changelog = try #require(house.file("CHANGELOG.md"))
        #expect(changelog.lines.contains { $0.hasPrefix("## Unreleased") || $0.hasPrefix("## 0.1.0") })
    }

    @Test("The description of the API is OpenAPI 3.1 and describes something")
    func openAPIParses() throws {
        let file = try #require(house.file("Documentation/openapi.json"))
        let parsed = try JSONSerialization.jsonObject(with: Data(file.text.utf8))
        let description = try #require(parsed as? [String: Any])
        #expect((description["openapi"] as? String)?.hasPrefix("3.1") == true)
        #expect((description["paths"] as? [String: Any])?.isEmpty == false)
    }

    @Test("Every test that Migrating.md names exists")
    func namedTestsExist() throws {
        let page = try #require(house.file("Documentation/Migrating.md"))
        let known = Set(house.swift(under: "Tests").flatMap { TestNames.declared(in: $0.text) })
        let rows = Markdown.column("test", in: page.text)
        #expect(!rows.isEmpty, "Migrating.md has no table with a column “test”.")
        for cell in rows {
            let names = TestNames.named(in: cell)
            #expect(!names.isEmpty, "A row names no test: “\(cell)”.")
            for name in names { #expect(known.contains(name), "There is no test “\(name)”.") }
        }
    }

    @Test("Every decision has its context, options, choice and consequences")
    func decisionsAreWhole() {
        let decisions = house.markdown.filter { $0.path.hasPrefix("Documentation/Decisions/0") }
        #expect(!decisions.isEmpty)
        for page in decisions {
            for heading in ["## Context", "## Options", "## Choice", "## Consequences"] {
                #expect(page.lines.contains(Substring(heading)), "\(page.path) has no “\(heading)”.")
            }
        }
    }

    // MARK: The readers themselves

    @Test("Links are read from prose and not from code")
    func readsLinks() {
        let text = """
            See [a](b.md), [c](d/e.md#f) and [out](https://example.com).
            ```
            [not](this.md)
            ```
            `[nor](that.md)` ![picture](p.png)
            """
        #expect(Markdown.links(in: text) == ["b.md", "d/e.md#f", "p.png"])
        #expect(Markdown.resolve("../a.md", from: ["b"]) == "a.md")
        #expect(Markdown.resolve("../../a.md", from: ["b"]) == nil)
        #expect(Markdown.anchors(in: "## The `kith` command, today") == ["the-kith-command-today"])
    }

    @Test("Test names are read from code and from a table")
    func readsTestNames() {
        let code = "@Test(\n    \"A rule\", arguments: [1])\nfunc aRule() {}\n@Test func `a sentence`() {}"
        #expect(Set(TestNames.declared(in: code)) == ["A rule", "aRule", "a sentence"])
        #expect(TestNames.named(in: "`A rule`, `aRule()`") == ["A rule", "aRule"])
        #expect(TestNames.named(in: "A rule") == ["A rule"])
        let table = "| what | Test |\n| --- | --- |\n| x | `A rule` |\n\n| other | things |\n| --- | --- |\n| y | z |"
        #expect(Markdown.column("test", in: table) == ["`A rule`"])
    }
}
