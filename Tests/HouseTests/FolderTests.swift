import Testing

/// The folders of a target are layers: a folder that mentions another is never mentioned by it, nor by way of a third.
/// So are the folders within a folder.
@Suite("The folders of a target") struct FolderTests {
    /// The targets, and the folders in them that have folders themselves.
    static let outerFolders = Set(
        MannersTests.sources.flatMap { file in
            let folders = file.path.split(separator: "/").dropLast()
            return (2..<max(3, folders.count)).map { folders.prefix($0).joined(separator: "/") }
        }
    ).sorted()

    @Test("Do not refer to each other in a cycle", arguments: outerFolders)
    func noCircles(folder: String) {
        let graph = FolderGraph(of: folder, in: House.standing.swift(under: folder))
        if let circle = graph.shortestCircle() {
            let lines = circle.map { mention in
                "\(mention):\n" + (graph.mentions[mention] ?? []).sorted().map { "    \($0)" }.joined(separator: "\n")
            }
            Issue.record(
                """
                The folders of \(folder) mention each other in a circle. Move a type to the folder that owns its subject, \
                or hand in a value or a closure.
                \(lines.joined(separator: "\n"))
                """)
        }
    }

    // MARK: The reading itself

    @Test("A cycle through three folders and through the root is found, without folders that only lead to it")
    func circles() {
        let graph = Self.graph([
            "A/One.swift": "struct One { var two: Two }", "B/Two.swift": "struct Two { let three: [Three] }",
            "C/Three.swift": "struct Three {}\nextension One {}",
            "D/Four.swift": "struct Four: Sendable { let one: One }",
            "Five.swift": "let five = Four()", "E/Six.swift": "struct Six {}",
        ])
        #expect(graph.circular().keys.map(\.description).sorted() == ["A mentions B", "B mentions C", "C mentions A"])
        #expect(graph.circular()[.init(from: "C", to: "A")] == ["C/Three.swift → One → A/One.swift"])
        let shortest = graph.shortestCircle()?.map(\.description)
        #expect(shortest == ["A mentions B", "B mentions C", "C mentions A"])
        let rooted = Self.graph([
            "A/One.swift": "struct One { let all: All }", "All.swift": "struct All { let one: One }",
        ])
        #expect(rooted.circular().keys.map(\.description).sorted() == ["A mentions the root", "the root mentions A"])
    }

    @Test("A cycle of the folders in a folder is found") func innerCircles() {
        let folder = "Sources/Module/Outer"
        let graph = FolderGraph(
            of: folder,
            in: [
                House.File(path: folder + "/One.swift", text: "struct One { let two: Two }"),
                House.File(path: folder + "/Inner/Two.swift", text: "struct Two { let one: One }"),
            ])
        let shortest = graph.shortestCircle()?.map(\.description)
        #expect(shortest?.sorted() == ["Inner mentions the root", "the root mentions Inner"])
        #expect(Self.outerFolders.contains("Sources/KithCards/Card"))
    }

    @Test(
        "Only code refers to a type, not comments and strings",
        arguments: [
            "// One", "/* One /* nested */ One */", "let a = \"One\"", "let a = #\"One \" \\(One.a) \"#",
            "let a = \"\"\"\n  One \" One\n  \"\"\"", "let a = \"\\\" One\"", "let a: Other.One",
            "struct B { struct One {} }", "import One",
            "func b<One: Equatable>(_ one: One) {}", "let a = bOne.One1", "let a = b(/[\"{}] One/)",
            "protocol B { associatedtype One }",
        ])
    func unmentioned(code: String) {
        #expect(!Self.mentions("struct Two {}\n\(code)"))
    }

    @Test(
        "A reference to a type is found in every notation",
        arguments: [
            "let a: One", "let a = \"one: \\(One.b(\"(\")) and\"", "let a = #\"one: \\#(One.b)\"#",
            "extension One.Inner {}",
            "let a = 0...One.b", "let a: Module.One", "func b<A: One>(_ a: A) {}", "let a = [Set<One>]()",
            "/* } */ let a = One()", "let a = (1 / 2, One.b / 2)",
        ])
    func mentioned(code: String) {
        #expect(Self.mentions("struct Two {}\n\(code)"))
    }

    @Test("A type that only its file or its outer type sees is not the folder's")
    func hiddenTypes() {
        let files = [
            "A/One.swift": "private struct Inner { let two: Two }\nstruct One { struct Deep {} }",
            "B/Two.swift": "struct Two { let inner: Inner, deep: Deep }",
        ]
        #expect(Self.graph(files).circular().isEmpty)
    }

    @Test("The braces of every file balance after comments and strings are removed", arguments: MannersTests.sources)
    func braces(file: House.File) {
        let tokens = SwiftTokens.read(file.text)
        #expect(tokens.count { $0.text == "{" } == tokens.count { $0.text == "}" })
    }

    private static func graph(_ files: [String: String]) -> FolderGraph {
        FolderGraph(
            of: "Sources/Module",
            in: files.sorted { $0.key < $1.key }.map { House.File(path: "Sources/Module/\($0.key)", text: $0.value) })
    }

    private static func mentions(_ code: String) -> Bool {
        !graph(["A/One.swift": "struct One { let two: Two }", "B/Two.swift": code]).circular().isEmpty
    }
}

/// The folders of a target or a folder, and which of them mention a type of another.
struct FolderGraph {
    /// One folder mentions types of another.
    struct Mention: Hashable, Comparable, CustomStringConvertible {
        let from: String
        let to: String

        var description: String { "\(Self.name(from)) mentions \(Self.name(to))" }

        static func < (one: Self, other: Self) -> Bool { (one.from, one.to) < (other.from, other.to) }

        private static func name(_ folder: String) -> String { folder == FolderGraph.root ? "the root" : folder }
    }

    /// The folder of the files that are in no inner folder.
    static let root = "."

    /// The uses of each mention, as “file → type → file”.
    private(set) var mentions: [Mention: Set<String>] = [:]

    /// The folders in `outer`, such as `Sources/Kith` or `Sources/KithCards/Card`.
    init(of outer: String, in files: [House.File]) {
        let module = String(outer.split(separator: "/")[1])
        let readings = files.map { file in
            (path: String(file.path.dropFirst(outer.count + 1)), types: FileTypes(file.text, of: module))
        }
        var places: [String: String] = [:]
        for (path, types) in readings { for name in types.declared { places[name] = path } }
        for (path, types) in readings {
            // `Mutex` is the standard library's, which another stands in for where the thread sanitizer runs.
            for name in types.mentioned where name != "Mutex" {
                guard let place = places[name], Self.folder(of: place) != Self.folder(of: path) else { continue }
                let mention = Mention(from: Self.folder(of: path), to: Self.folder(of: place))
                mentions[mention, default: []].insert("\(path) → \(name) → \(place)")
            }
        }
    }

    /// The mentions from which a way leads back.
    func circular() -> [Mention: Set<String>] {
        var next: [String: Set<String>] = [:]
        for mention in mentions.keys { next[mention.from, default: []].insert(mention.to) }
        return mentions.filter { mention, _ in
            var reached: Set = [mention.to]
            var open = [mention.to]
            while let folder = open.popLast() {
                for other in next[folder] ?? [] where reached.insert(other).inserted { open.append(other) }
            }
            return reached.contains(mention.from)
        }
    }

    /// The shortest circle; nil if there is none.
    func shortestCircle() -> [Mention]? {
        let mentions = circular().keys.sorted()
        let circles = mentions.compactMap { first -> [Mention]? in
            var ways = [[first]]
            var reached: Set = [first.to]
            while !ways.isEmpty {
                if let circle = ways.first(where: { $0.last?.to == first.from }) { return circle }
                ways = ways.flatMap { way in
                    mentions.filter { $0.from == way.last?.to && reached.insert($0.to).inserted }.map { way + [$0] }
                }
            }
            return nil
        }
        return circles.min { $0.count < $1.count }
    }

    private static func folder(of path: String) -> String {
        path.contains("/") ? String(path.prefix { $0 != "/" }) : root
    }
}

/// The types that one file declares for its module, and those of others that it may mention.
struct FileTypes {
    private(set) var declared: Set<String> = []
    private(set) var mentioned: Set<String> = []

    init(_ text: String, of module: String) {
        let tokens = SwiftTokens.read(text)
        // What the file means by these names is its own: its types, nested or hidden, and its type parameters.
        var own: Set<String> = []
        var depth = 0
        for (index, token) in tokens.enumerated() {
            if token.text == "{" { depth += 1 }
            if token.text == "}" { depth -= 1 }
            guard Self.declaring.contains(token.text), !token.isMember, index + 1 < tokens.count else { continue }
            let name = tokens[index + 1].text
            let before = tokens[..<index].reversed().prefix { Self.modifiers.contains($0.text) }.map(\.text)
            let isImport = index > 0 && tokens[index - 1].text == "import"
            if Self.isTypeName(name), !isImport, !["func", "init", "subscript"].contains(token.text) {
                own.insert(name)
                let isHidden = before.contains("private") || before.contains("fileprivate")
                if depth == 0, !isHidden { declared.insert(name) }
            }
            own.formUnion(Self.parameters(tokens[(index + 1)...].prefix(100)))
        }
        for (index, token) in tokens.enumerated() where Self.isTypeName(token.text) && !own.contains(token.text) {
            if token.isMember, index < 2 || tokens[index - 2].text != module { continue }
            // The name after `import` is a module's.
            if index > 0, tokens[index - 1].text == "import" { continue }
            mentioned.insert(token.text)
        }
    }

    /// The type parameters of a declaration, whose tokens after its keyword these are.
    private static func parameters(_ tokens: ArraySlice<SwiftTokens.Token>) -> Set<String> {
        guard let start = tokens.prefix(2).firstIndex(where: { $0.text == "<" }) else { return [] }
        var parameters: Set<String> = []
        var depth = 0
        for index in tokens.indices[start...] {
            if tokens[index].text == "<" { depth += 1 }
            if tokens[index].text == ">" { depth -= 1 }
            if depth == 0 { break }
            let isFirst = tokens[index].text == "<" || tokens[index].text == ","
            if depth == 1, isFirst, index + 1 < tokens.endIndex { parameters.insert(tokens[index + 1].text) }
        }
        return parameters
    }

    private static func isTypeName(_ text: String) -> Bool { text.first?.isUppercase == true }

    private static let declaring: Set = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "associatedtype", "func", "init", "subscript",
    ]
    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "final", "indirect", "open", "nonisolated",
    ]
}

/// The words and signs of Swift code, without those in comments and string literals.
struct SwiftTokens {
    struct Token {
        let text: String
        /// Whether a single dot stands before it.
        let isMember: Bool
    }

    static func read(_ text: String) -> [Token] {
        var reader = SwiftTokens(bytes: Array(text.utf8))
        reader.code(endsAtParenthesis: false)
        return reader.tokens
    }

    private let bytes: [UInt8]
    private var place = 0
    private var tokens: [Token] = []

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads code to its end; that of an interpolation ends with its parenthesis.
    private mutating func code(endsAtParenthesis: Bool) {
        var depth = 0
        while place < bytes.count {
            if isAt("//") {
                while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
            } else if isAt("/*") {
                skipComment()
            } else if let pounds = poundsOfString() {
                string(pounds)
            } else if let end = endOfRegex() {
                place = end
            } else if Self.isWord(bytes[place]) {
                let start = place
                while place < bytes.count, Self.isWord(bytes[place]) { place += 1 }
                add(start)
            } else {
                if isAt("(") { depth += 1 }
                if isAt(")") { depth -= 1 }
                place += 1
                if depth < 0, endsAtParenthesis { return }
                if bytes[place - 1] > UInt8(ascii: " ") { add(place - 1) }
            }
        }
    }

    private mutating func add(_ start: Int) {
        let dot = UInt8(ascii: ".")
        let isMember = start > 0 && bytes[start - 1] == dot && (start < 2 || bytes[start - 2] != dot)
        tokens.append(Token(text: String(decoding: bytes[start..<place], as: UTF8.self), isMember: isMember))
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if isAt("/*") {
                depth += 1
                place += 2
            } else if isAt("*/") {
                depth -= 1
                place += 2
            } else {
                place += 1
            }
        } while depth > 0 && place < bytes.count
    }

    /// Where the regular expression literal ends that is next; nil if none is.
    private func endOfRegex() -> Int? {
        let before = bytes[..<place].last { $0 != UInt8(ascii: " ") }
        guard isAt("/"), before.map("(,=[{:".utf8.contains) ?? true, !isAt("/ ") else { return nil }
        var end = place + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
            if bytes[end] == UInt8(ascii: "/") { return end + 1 }
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// How many number signs begin the string literal that is next; nil if none is.
    private func poundsOfString() -> Int? {
        let pounds = bytes[place...].prefix { $0 == UInt8(ascii: "#") }.count
        let quote = place + pounds
        return quote < bytes.count && bytes[quote] == UInt8(ascii: "\"") ? pounds : nil
    }

    private mutating func string(_ pounds: Int) {
        let signs = String(repeating: "#", count: pounds)
        place += pounds
        let quotes = isAt("\"\"\"") ? "\"\"\"" : "\""
        place += quotes.count
        while place < bytes.count {
            if isAt(quotes + signs) {
                place += quotes.count + pounds
                return
            } else if isAt("\\\(signs)(") {
                place += pounds + 2
                code(endsAtParenthesis: true)
            } else if isAt("\\" + signs) {
                place += pounds + 2
            } else {
                place += 1
            }
        }
    }

    private func isAt(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
