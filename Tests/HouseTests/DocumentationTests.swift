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
        // What a program carries with it is no page. In a catalogue, DocC's own links lead from its first page to the others.
        for page in house.markdown where page.path != "README.md" && !page.path.contains("/Resources/") {
            if Catalogue.isInner(page) { continue }
            let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
            #expect(linked.contains(page.path) || linked.contains(folder), "No page links to \(page.path).")
        }
    }

    @Test(
        "The examples in the pages are the snippets that are compiled",
        arguments: House.standing.swift(under: "Snippets"))
    func pagesShowTheSnippets(snippet: House.File) throws {
        let mark = "<!-- \(snippet.path) -->"
        let pages = house.markdown.filter { $0.text.contains(mark) }
        #expect(!pages.isEmpty, "No page shows \(snippet.path).")
        for page in pages { #expect(Markdown.block(after: mark, in: page.text) == snippet.text, "\(page.path)") }
    }

    @Test(
        "An example that reads records imports their module, because new projects of Xcode require that",
        arguments: House.standing.swift(under: "Snippets"))
    func snippetsImportTheModel(snippet: House.File) {
        guard snippet.text.contains(/(=|in) (try )?(await )?client\.(lists|network|invitations|sharing)\b/) else {
            return
        }
        #expect(snippet.lines.contains("import KithModel"), "\(snippet.path)")
    }

    @Test("Every snippet that a page names exists")
    func namedSnippetsExist() {
        for page in house.markdown {
            for mark in page.text.matches(of: /<!-- (Snippets\/[^ ]+) -->/) {
                #expect(house.paths.contains(String(mark.1)), "\(page.path) shows \(mark.1), which does not exist.")
            }
        }
    }

    @Test("Every Swift example in a catalogue is a snippet, or the README's package")
    func articlesShowCheckedCode() throws {
        let readme = try #require(house.file("README.md"))
        let package = "<!-- ci: package -->"
        for page in house.markdown where page.path.contains(".docc/") {
            let marks = page.lines.indices.filter { page.lines[$0] == "```swift" }.map { page.lines[max($0 - 1, 0)] }
            for mark in marks where mark != package {
                #expect(mark.hasPrefix("<!-- Snippets/"), "\(page.path): no test compiles the example after “\(mark)”.")
            }
            if marks.contains(package[...]) {
                let wanted = Markdown.block(after: package, in: readme.text)
                #expect(Markdown.block(after: package, in: page.text) == wanted, "\(page.path)")
            }
        }
    }

    @Test("Every Swift example in the README is a snippet, lines of one in their order, or the package")
    func readmeShowsCheckedCode() throws {
        let readme = try #require(house.file("README.md")).lines
        let examples = readme.indices.filter { readme[$0] == "```swift" }
        #expect(examples.count > 4)
        for start in examples {
            let mark = readme[start - 1]
            guard let path = mark.firstMatch(of: /^<!-- lines of (Snippets\/[^ ]+) -->$/)?.1 else {
                let isWhole = mark.hasPrefix("<!-- Snippets/") || mark == "<!-- ci: package -->"
                #expect(isWhole, "No test compiles the example after “\(mark)”.")
                continue
            }
            var rest = try #require(house.file(String(path)), "“\(mark)” names no snippet.").lines[...]
            for line in readme[(start + 1)...].prefix(while: { $0 != "```" }) where !line.isEmpty {
                let place = rest.firstIndex(of: line)
                #expect(place != nil, "\(path) lacks the line, or has it earlier: \(line)")
                if let place { rest = rest[(place + 1)...] }
            }
        }
    }

    @Test("Every library has a catalogue, and its first page leads to each of its articles")
    func librariesHaveCatalogues() throws {
        let package = try #require(house.file("Package.swift"))
        let products = package.text.matches(of: /\.library\(name: "\w+", targets: \[([^\]]+)\]/)
        let modules = products.flatMap { $0.1.matches(of: /\w+/).map { String($0.0) } }
        #expect(modules.count > 5)
        for module in modules {
            let folder = "Sources/\(module)/\(module).docc"
            let first = try #require(house.file("\(folder)/\(module).md"), "\(module) has no catalogue.")
            #expect(first.text.hasPrefix("# ``\(module)``\n"))
            let articles = house.markdown.filter { $0.path.hasPrefix(folder + "/") && Catalogue.isArticle($0) }
            for article in articles {
                let name = article.name.replacing(".md", with: "")
                #expect(first.text.contains("- <doc:\(name)>\n"), "\(first.path) does not lead to \(name).")
            }
        }
    }

    @Test("A public comment links only names that are public in some module, because DocC has no page for others")
    func publicCommentsLinkPublicNames() throws {
        let package = try #require(house.file("Package.swift"))
        let libraries = package.text.matches(of: /\.library\(name: "(\w+)"/).map { "Sources/\($0.1)" }
        #expect(libraries.count > 5)
        let files = libraries.flatMap(house.swift(under:))
        let shown = Set(files.flatMap { SymbolLinks.types(in: $0.text, isPublic: true) })
        let hidden = Set(files.flatMap { SymbolLinks.types(in: $0.text, isPublic: false) }).subtracting(shown)
        #expect(shown.contains("SQLiteDatabase") && hidden.contains("DurableLog"))
        for file in files {
            for name in SymbolLinks.inPublicComments(of: file.text) where hidden.contains(name) {
                Issue.record("\(file.path): ``\(name)`` is not public. Write its name as `code`.")
            }
        }
    }

    @Test("The page of the command line lists every exit code")
    func exitCodesAreTold() throws {
        let source = try #require(house.file("Sources/KithCommand/Console/ExitStatus.swift"))
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

    @Test("The list of decisions has each of them once, with its title")
    func decisionsAreListed() throws {
        let list = try #require(house.file("Documentation/Decisions/README.md"))
        let decisions = house.markdown.filter { $0.path.hasPrefix("Documentation/Decisions/0") }
        #expect(Markdown.links(in: list.text).filter { $0.hasPrefix("0") }.sorted() == decisions.map(\.name))
        for page in decisions {
            let title = page.lines[0].dropFirst("# 0000: ".count)
            let line = "- [\(page.name.prefix(4))](\(page.name)): \(title)"
            #expect(list.lines.contains(line[...]), "\(list.path) has no line “\(line)”.")
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

    @Test("An article is distinguished from a catalogue's first page and from other pages")
    func recognisesArticles() {
        #expect(Catalogue.isArticle(House.File(path: "Sources/A/A.docc/B.md", text: "# B")))
        #expect(!Catalogue.isArticle(House.File(path: "Sources/A/A.docc/B.md", text: "# ``B``")))
        #expect(Catalogue.isInner(House.File(path: "Sources/A/A.docc/B.md", text: "# ``B``")))
        #expect(!Catalogue.isInner(House.File(path: "Sources/A/A.docc/A.md", text: "# A")))
        #expect(!Catalogue.isInner(House.File(path: "Documentation/A.md", text: "# A")))
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

    @Test("Links to symbols are read from the comments of public declarations")
    func readsSymbolLinks() {
        let code = """
            /// Uses ``Plan/limit`` and ``Clock``.
            @available(macOS 15, *)
            public final class Store {
                /// ``Hidden``
                package struct Plan {}
                // ``Remark``
                public var limit = 1
            }
            """
        #expect(SymbolLinks.inPublicComments(of: code) == ["Plan", "Clock"])
        #expect(SymbolLinks.types(in: code, isPublic: true) == ["Store"])
        #expect(SymbolLinks.types(in: code, isPublic: false) == ["Plan"])
    }
}
