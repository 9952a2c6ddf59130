import Foundation
import Testing

/// House rules that a reader would otherwise have to remember.
@Suite("Rules for the sources") struct MannersTests {
    static let sources = House.standing.swift(under: "Sources")
    static let examples = House.standing.swift(under: "Examples")
    static let allSwift =
        sources + examples + House.standing.swift(under: "Tests") + House.standing.swift(under: "Snippets")
        + House.standing.swift(under: "Benchmarks")

    @Test("No file is longer than 500 lines", arguments: sources + examples)
    func fileLength(file: House.File) {
        #expect(file.lines.count <= 500, "A file is a chapter of one idea: find the second idea and move it out.")
    }

    @Test("No type is called Utils, Helper or Manager")
    func namesSayWhatThingsAre() {
        for file in Self.allSwift {
            let folders = file.path.split(separator: "/").map { String($0.prefix { $0 != "." }) }
            let declared = file.lines.filter { !Manners.isComment($0) }.flatMap(Manners.declaredNames)
            for name in folders + declared {
                #expect(!Manners.isJunkDrawer(name), "\(file.path): “\(name)”: name it after what it is.")
            }
        }
    }

    @Test("No target and no folder is called Base, Core, Common or Support")
    func foldersAreNamedAfterTheirPart() throws {
        let package = try #require(House.standing.file("Package.swift"))
        let targets = package.text.matches(of: /[tT]arget\(\s*name: "(\w+)"/).map { String($0.1) }
        #expect(targets.contains("KithModel") && targets.contains("HouseTests"))
        let folders = House.standing.paths.flatMap { $0.split(separator: "/").dropLast().map(String.init) }
        for name in Set(targets + folders).sorted() {
            #expect(!Manners.isCatchAll(name), "“\(name)”: name it after its part of the domain.")
        }
    }

    @Test("No two modules have a type of the same name that others in the module see")
    func typeNames() {
        var places: [String: Set<String>] = [:]
        for file in Self.sources {
            let module = String(file.path.split(separator: "/")[1])
            for name in file.lines.compactMap(Manners.topLevelType) { places[name, default: []].insert(module) }
        }
        for (name, modules) in places where modules.count > 1 {
            Issue.record("“\(name)” is a type in \(modules.sorted().joined(separator: " and in ")).")
        }
    }

    @Test("No file has two top-level types that other files see")
    func oneTypePerFile() {
        for file in Self.sources + Self.examples {
            // A type and its alias can share a file.
            let types = file.lines.filter { !$0.contains("typealias ") }.compactMap(Manners.topLevelType)
            #expect(types.count < 2, "\(file.path): give each of \(types.joined(separator: ", ")) its own file.")
        }
    }

    @Test("A file with one top-level type that other files see has the name of that type")
    func fileNames() {
        for file in Self.sources + Self.examples + House.standing.swift(under: "Tests") {
            #expect(Manners.isNamedAfterItsType(file), "\(file.path): name the file after its type, or move the type.")
        }
    }

    @Test("An extension has its own file only if another folder owns its type")
    func extensionsBesideTheirTypes() {
        // Each world and each auditor of the simulation is one state, which is longer than one file.
        for file in Self.allSwift where !file.path.hasPrefix("Tests/Simulation/") {
            if let type = Manners.typeBeside(file.path, in: House.standing.paths) {
                Issue.record("\(file.path): move it to \(type), or make it a type with a name of its own.")
            }
        }
    }

    @Test("The commit sends the signals, so that no service can forget them")
    func commitsSend() {
        // Rounds know the device that has committed.
        let own = ["Signals/SignalSender.swift", "SyncService.swift", "RoundPusher.swift"].map {
            "Sources/KithServer/Sync/\($0)"
        }
        for file in Self.sources where !own.contains(file.path) {
            let sends = file.lines.contains { $0.contains("signals.send(") && !Manners.isComment($0) }
            #expect(!sends, "\(file.path): return the signals to SignalSender.commit(in:_:).")
        }
    }

    @Test("A comment justifies each exception from the compiler's checks")
    func exceptionsAreSigned() {
        for file in Self.allSwift {
            for number in Manners.unsigned(file.lines) {
                Issue.record("\(file.path):\(number): say in a comment, here or above, why this is safe.")
            }
        }
    }

    @Test("Every public declaration says what it is, and so does each part of a public enum or protocol")
    func publicFaceIsDocumented() {
        for file in Self.sources {
            for number in Manners.undocumented(file.lines) {
                Issue.record("\(file.path):\(number): a public declaration without a doc comment.")
            }
            for number in Manners.undocumentedParts(file.lines) {
                Issue.record("\(file.path):\(number): a part of a public enum or protocol without a doc comment.")
            }
        }
    }

    @Test("No file names a path of somebody's machine")
    func noMachinePaths() {
        for file in House.standing.files {
            for (index, line) in file.lines.enumerated() where Manners.namesMachinePath(line) {
                Issue.record("\(file.path):\(index + 1): a path that only one machine has.")
            }
        }
    }

    @Test("Every command of the command line has its name in its configuration")
    func commandsHaveNames() {
        // ArgumentParser makes a missing name from that of the type, for all commands at each start of the program.
        let commands = House.standing.swift(under: "Sources/KithCommand")
        let first = commands.flatMap { $0.text.matches(of: /CommandConfiguration\(\s*(\w+):/).map { String($0.1) } }
        #expect(first.count > 150)
        #expect(first.allSatisfy { $0 == "commandName" })
    }

    @Test("Every script stops at its first failure")
    func scriptsStop() {
        let scripts = House.standing.files.filter { $0.text.hasPrefix("#!") && $0.text.prefix(40).contains("bash") }
        #expect(scripts.contains { $0.path == "run" } && scripts.contains { $0.path == "test" })
        for script in scripts {
            #expect(script.lines.contains("set -euo pipefail"), "\(script.path) goes on after a failure.")
        }
    }

    // MARK: The rules themselves

    @Test("A name such as Utils is found", arguments: ["StringUtils", "Helper", "TestHelpers", "SyncManager"])
    func junkDrawers(name: String) {
        #expect(Manners.declaredNames("public final class \(name)<A> {").contains { Manners.isJunkDrawer($0) })
    }

    @Test("A meaningful name is not reported", arguments: ["Outbox", "Managerial", "FileManager", "SharedList"])
    func properNames(name: String) {
        #expect(!Manners.isJunkDrawer(name))
    }

    @Test("A file is named after its one type, or after what its extensions add")
    func namesOfFiles() {
        func isNamed(_ name: String, _ text: String) -> Bool {
            Manners.isNamedAfterItsType(House.File(path: "Sources/Kith/\(name).swift", text: text))
        }
        #expect(isNamed("Outbox", "package struct Outbox {}\nprivate struct Row {}\nextension Outbox {}"))
        #expect(!isNamed("Mutations", "struct Outbox {}"))
        #expect(isNamed("Outbox+Rows", "struct Row {}"))
        #expect(isNamed("Mutations", "extension Outbox {}"))
        #expect(isNamed("Mutations", "struct One {}\nstruct Two {}"))
        #expect(isNamed("Outbox", "struct Outbox {}\ntypealias Queue = Outbox"))
    }

    @Test("An extension’s file in the folder of its type is found, one in another folder is not")
    func filesOfExtensions() {
        let paths: Set = ["Kith/Outbox/Outbox.swift", "Kith/Row.swift"]
        #expect(Manners.typeBeside("Kith/Outbox/Outbox+Rows.swift", in: paths) == "Kith/Outbox/Outbox.swift")
        #expect(Manners.typeBeside("Kith/Row+Outbox.swift", in: paths) == "Kith/Row.swift")
        #expect(Manners.typeBeside("Kith/Sync/Outbox+Sync.swift", in: paths) == nil)
        #expect(Manners.typeBeside("Kith/Outbox/Outbox.swift", in: paths) == nil)
    }

    @Test("An exception without a comment is found, one with a comment is not")
    func signatures() {
        let mark = "!"
        #expect(Manners.unsigned(["let a = try\(mark) b()"]) == [1])
        #expect(Manners.unsigned(["let a = b as\(mark) C"]) == [1])
        #expect(Manners.unsigned(["let a = try\(mark) b()  // Cannot fail: b has no input."]).isEmpty)
        #expect(Manners.unsigned(["// Only touched on the queue.", "nonisolated\("(unsafe)") var x = 1"]).isEmpty)
        #expect(Manners.unsigned(["final class Store {", "}", "extension Store: @\("unchecked") Sendable {}"]) == [3])
        #expect(Manners.unsigned(["print(\"it has\(mark)\")"]).isEmpty)
    }

    @Test("A folder such as Support is found", arguments: ["Support", "KithCore", "common", "TestBase"])
    func catchAlls(name: String) {
        #expect(Manners.isCatchAll(name))
        #expect(!Manners.isCatchAll("Database") && !Manners.isCatchAll("Records"))
    }

    @Test("A public declaration without a doc comment is found, attributes between or not")
    func documentation() {
        #expect(Manners.undocumented(["public struct A {"]) == [1])
        #expect(Manners.undocumented(["/// A thing.", "@frozen", "public struct A {"]).isEmpty)
        #expect(Manners.undocumented(["    public final class Store: Sendable {"]) == [1])
        #expect(Manners.undocumented(["    var id: Int { 1 }", "// public var a", "public import A"]).isEmpty)
        let members: [Substring] = [
            "public var a: Int { 1 }", "    public private(set) var b = 1", "public static let c = 1", "public init?(",
            "    public init<A>(", "public mutating func d() {", "@discardableResult public func e() {",
            "public typealias F = Int", "public subscript(g: Int) -> Int {", "static public func h() {",
            "@available(*, deprecated) public let i = 1",
        ]
        #expect(Manners.undocumented(members) == Array(1...members.count))
        #expect(members.allSatisfy { Manners.undocumented(["    /// What it is.", "    @MainActor", $0]).isEmpty })
        #expect(Manners.undocumentedParts(["public enum A {", "    case b", "}"]) == [2])
        #expect(Manners.undocumentedParts(["public enum A { case b }"]) == [1])
        #expect(Manners.undocumentedParts(["public enum A {", "    /// B.", "    case b", "}"]).isEmpty)
        #expect(Manners.undocumentedParts(["enum A {", "    case b", "}"]).isEmpty)
        #expect(Manners.undocumentedParts(["public protocol A {", "    func b()", "    init()", "}"]) == [2, 3])
        #expect(Manners.undocumentedParts(["public protocol A {", "    /// B.", "    func b()", "}"]).isEmpty)
        #expect(
            Manners.undocumentedParts([
                "    public indirect enum A {", "        var b: Int {", "            switch self {",
                "            case c: 1", "            }", "        }", "        case c", "    }", "    case d",
            ]) == [7])
    }

    @Test("A path of somebody's machine is found")
    func machinePaths() {
        #expect(Manners.namesMachinePath("see /\("home")/bo/kith"))
        #expect(Manners.namesMachinePath("(/\("Users")/bo)"))
        #expect(!Manners.namesMachinePath("HOME=/home/ada"))
        #expect(!Manners.namesMachinePath("https://example.com/home/of/kith"))
    }
}

/// The rules, as functions of text.
enum Manners {
    static func isComment(_ line: Substring) -> Bool {
        line.drop(while: \.isWhitespace).hasPrefix("//")
    }

    /// The names of the types that a line declares.
    static func declaredNames(_ line: Substring) -> [String] {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        return zip(words, words.dropFirst()).filter { kinds.contains($0.0) }.map { String($0.1) }
    }

    /// The type that a line declares at the top of its file, unless only that file sees it.
    static func topLevelType(_ line: Substring) -> String? {
        guard let first = line.first, first.isLetter || first == "@" else { return nil }
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        if words.contains("private") || words.contains("fileprivate") || words.first == "extension" { return nil }
        return declaredNames(line).first
    }

    /// Whether a file that declares exactly one type that other files see has its name. A file with `+` extends a type.
    static func isNamedAfterItsType(_ file: House.File) -> Bool {
        let types = file.lines.filter { !$0.contains("typealias ") }.compactMap(topLevelType)
        let name = file.name.prefix { $0 != "." }
        return types.count != 1 || name.contains("+") || types[0] == name
    }

    /// The file of the type that `Type+Aspect.swift` extends, if it is in the same folder.
    static func typeBeside(_ path: String, in paths: Set<String>) -> String? {
        guard let match = path.wholeMatch(of: /(.*\/\w+)\+\w+\.swift/) else { return nil }
        let type = "\(match.1).swift"
        return paths.contains(type) ? type : nil
    }

    static func isJunkDrawer(_ name: String) -> Bool {
        if name == "FileManager" { return false }  // Foundation's.
        return ["Util", "Utils", "Utility", "Utilities", "Helper", "Helpers", "Manager", "Managers"]
            .contains { name.hasSuffix($0) }
    }

    /// Whether a target or a folder has a name that anything fits into.
    static func isCatchAll(_ name: String) -> Bool {
        ["Base", "Core", "Common", "Support"].contains { name.hasSuffix($0) || name.lowercased() == $0.lowercased() }
    }

    /// The numbers of lines that step around the compiler without a comment on them or right above.
    static func unsigned(_ lines: [Substring]) -> [Int] {
        lines.indices.filter { index in
            let line = lines[index]
            guard !isComment(line), exceptions.contains(where: { line.contains($0) }) else { return false }
            let isSignedAbove = index > 0 && isComment(lines[index - 1])
            return !isSignedAbove && !line.contains("// ")
        }.map { $0 + 1 }
    }

    /// The numbers of lines that declare something public without a doc comment above.
    static func undocumented(_ lines: [Substring]) -> [Int] {
        lines.indices.filter { isPublicDeclaration(lines[$0]) && !isDocumented($0, in: lines) }.map { $0 + 1 }
    }

    /// The numbers of lines that declare a case of a public enum, or a requirement of a public protocol, without a doc
    /// comment above. They are public without the word.
    static func undocumentedParts(_ lines: [Substring]) -> [Int] {
        var undocumented: [Int] = []
        var outer: (margin: Int, parts: [String])?
        for (index, line) in lines.enumerated() {
            let text = line.drop(while: \.isWhitespace)
            let indent = line.count - text.count
            let isEnum = text.hasPrefix("public enum ") || text.hasPrefix("public indirect enum ")
            if isEnum || text.hasPrefix("public protocol ") {
                outer = text.hasSuffix("}") ? nil : (margin: indent, parts: isEnum ? ["case "] : requirements)
                if text.contains("{ case ") { undocumented.append(index + 1) }
            } else if let (margin, parts) = outer {
                if indent == margin && text.hasPrefix("}") { outer = nil }
                guard indent == margin + 4, parts.contains(where: { text.hasPrefix($0) }) else { continue }
                if !isDocumented(index, in: lines) { undocumented.append(index + 1) }
            }
        }
        return undocumented
    }

    private static let requirements = ["func ", "var ", "init", "static ", "mutating ", "subscript", "associatedtype "]

    private static func isDocumented(_ index: Int, in lines: [Substring]) -> Bool {
        let above = lines[..<index].last { !$0.drop(while: \.isWhitespace).hasPrefix("@") } ?? ""
        return above.drop(while: \.isWhitespace).hasPrefix("///")
    }

    /// Whether a path in the line begins with a folder of people's own. Ada, who lives in examples, has no machine.
    static func namesMachinePath(_ line: Substring) -> Bool {
        line.contains("/") && line.contains(/(^|[^A-Za-z0-9._\/:-])\/(home|Users|root|work)\/(?!ada\b)[A-Za-z0-9._-]/)
    }

    private static let exceptions = [
        "@uncheck" + "ed", "nonisolated(un" + "safe)", " try" + "!", " as" + "!", "=try" + "!",
    ]

    /// Whether a line declares something public. An extension declares nothing, and an import neither.
    private static func isPublicDeclaration(_ line: Substring) -> Bool {
        guard line.contains("public ") || line.contains("open "), !isComment(line) else { return false }
        let declaration =
            #/
            \s*(?:@\w+(?:\([^)]*\))?\s)*(?:[a-z]+\s)*?(?:public|open)\s(?!import\s)(?:[a-z]+(?:\([a-z]+\))?\s)*?
            (?:(?:struct|class|enum|actor|protocol|typealias|associatedtype|func|var|let)\s|(?:init|subscript)[(<?])
            /#
        return line.prefixMatch(of: declaration) != nil
    }
}
