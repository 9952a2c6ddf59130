import Testing

/// The map of the modules, held against the imports that the sources really have.
@Suite("The module map") struct ModuleMapTests {
    /// What each module may import from its neighbours. Arrows point down.
    static let arrows: [String: Set<String>] = [
        "TextEncodings": [],
        "KithModel": ["TextEncodings"],
        "KithCards": ["TextEncodings"],
        "PhoneNumbers": ["KithModel", "CPhoneNumber"],
        "OPRF": ["KithModel", "CSodium"],
        "FIDO": ["KithModel", "CFIDO"],
        "Kith": ["KithModel", "TextEncodings", "CCurl"],
        "KithAddressBook": ["Kith", "KithCards", "KithModel", "TextEncodings", "PhoneNumbers"],
        "KithDiscovery": ["Kith", "KithAddressBook", "KithModel", "OPRF"],
        "KithServer": [
            "KithModel", "TextEncodings", "OPRF", "CCurl", "CJOSE", "CQRCode", "CDeflate", "COpenAPI", "CPostgreSQL",
            "CSQLite", "CSodium",
        ],
        "KithCommand": [
            "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel", "KithServer", "TextEncodings",
            "PhoneNumbers", "FIDO",
        ],
    ]

    /// What each module may import from outside. A new entry is a decision:
    /// an app that imports Kith carries all that stands behind it.
    static let outside: [String: Set<String>] = [
        "TextEncodings": [],
        "KithModel": ["Foundation"],
        "KithCards": ["Foundation"],
        "PhoneNumbers": ["Foundation"],
        "OPRF": [],
        "FIDO": ["Foundation"],
        "Kith": [
            "Darwin", "Dispatch", "Foundation", "FoundationNetworking", "GRDB", "GRDBSQLite", "Glibc", "Logging",
            "Musl", "Network", "Security", "Synchronization",
        ],
        "KithAddressBook": [
            "Contacts", "Darwin", "Dispatch", "Foundation", "FoundationNetworking", "FoundationXML", "GRDB",
            "Synchronization",
        ],
        "KithDiscovery": ["Foundation", "GRDB", "Synchronization"],
        "KithServer": [
            "Darwin", "Foundation", "GRDB", "GRDBSQLite", "Glibc", "HTTPTypes", "Hummingbird", "HummingbirdCore",
            "Logging", "Metrics", "Musl", "Mustache", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "ServiceLifecycle",
            "Synchronization", "UnixSignals",
        ],
        "KithCommand": [
            "ArgumentParser", "Darwin", "Dispatch", "Foundation", "FoundationNetworking", "Glibc", "Hummingbird",
            "Logging", "Metrics", "Musl", "NIOCore", "ServiceLifecycle", "Synchronization",
        ],
    ]

    @Test("Every import is in the map", arguments: House.standing.swift(under: "Sources"))
    func everyImportStandsInTheMap(file: House.File) throws {
        let module = String(file.path.split(separator: "/")[1])
        let arrows = try #require(Self.arrows[module], "“\(module)” is not in the map: give it its arrows.")
        let outside = try #require(Self.outside[module], "“\(module)” is not in the map: give it its packages.")
        for imported in Imports.read(file.text) {
            #expect(
                arrows.contains(imported) || outside.contains(imported),
                "\(module) may not import \(imported). If it must, change the map and say why in Decisions.")
        }
    }

    @Test(
        "The examples import what an app can: the modules of products, and no others of ours",
        arguments: House.standing.swift(under: "Examples"))
    func examplesImportProducts(file: House.File) {
        for imported in Imports.read(file.text) {
            #expect(
                Self.examples.contains(imported),
                "\(file.path) may not import \(imported): an app that depends on Kith could not do it.")
        }
    }

    /// What the examples may import: the SDK's products, and what any app can have.
    static let examples: Set = [
        "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel", "ArgumentParser", "Dispatch",
        "Foundation", "FoundationNetworking", "Logging", "Subprocess", "Synchronization", "System", "SystemPackage",
    ]

    @Test("The examples see only what is public", arguments: ["Demo", "Santa"])
    func examplesAreApps(example: String) throws {
        let package = try #require(House.standing.file("Package.swift"))
        let start = try #require(package.text.firstRange(of: "name: \"\(example)\",")).upperBound
        let end = try #require(package.text[start...].firstRange(of: "swiftSettings: house")).lowerBound
        #expect(package.text[start..<end].contains("packageAccess: false"))
        #expect(!House.standing.swift(under: "Examples/\(example)").isEmpty)
    }

    @Test("Santa is small, and uses the SDK and nothing else")
    func santaIsSmall() {
        let files = House.standing.swift(under: "Examples/Santa")
        #expect(files.reduce(0) { $0 + $1.lines.count - 1 } < 300)
        for file in files {
            let outside = Set(Imports.read(file.text)).subtracting(["Foundation", "Logging", "Synchronization"])
            #expect(outside.isSubset(of: ["Kith", "KithModel"]), "\(file.path)")
        }
    }

    @Test(
        "Trap: Merging law buried between database calls – it stands alone, in files that import nothing",
        arguments: House.standing.swift(under: "Sources/KithModel/Merging"))
    func mergingLawStandsAlone(file: House.File) {
        #expect(Imports.read(file.text).isEmpty, "\(file.path) decides what becomes of an edit, alone.")
    }

    @Test(
        "The server knows GRDB only where it stores in SQLite",
        arguments: House.standing.swift(under: "Sources/KithServer"))
    func sqliteStandsAlone(file: House.File) {
        if file.path.hasPrefix("Sources/KithServer/Storage/SQLite/") { return }
        for imported in Imports.read(file.text) {
            #expect(!imported.hasPrefix("GRDB"), "\(file.path) may not import \(imported): it is behind Database.")
        }
    }

    @Test("No arrow leads back to where it came from")
    func noCircle() {
        for start in Self.arrows.keys.sorted() {
            var reached: Set<String> = []
            var ahead = Array(Self.arrows[start] ?? [])
            while let next = ahead.popLast() {
                if reached.insert(next).inserted { ahead += Self.arrows[next] ?? [] }
            }
            #expect(!reached.contains(start), "\(start) reaches itself.")
        }
    }

    @Test("Every module of the map has sources")
    func everyModuleHasSources() {
        for module in Self.arrows.keys.sorted() {
            #expect(!House.standing.swift(under: "Sources/\(module)").isEmpty, "Sources/\(module) is empty.")
        }
    }

    @Test("Tests import modules without @testable", arguments: House.standing.swift(under: "Tests"))
    func testsImportPlainly(file: House.File) {
        #expect(!file.lines.contains { $0.hasPrefix("@testable") }, "Use `package` access instead of @testable.")
    }

    @Test(
        "Recognizes every form of import",
        arguments: [
            ("import Kith", "Kith"), ("public import Foundation", "Foundation"),
            ("@_exported public import KithModel", "KithModel"), ("    import struct NIOCore.ByteBuffer", "NIOCore"),
            ("@preconcurrency import GRDB // signed", "GRDB"), ("@_spi(Testing) package import Kith", "Kith"),
        ])
    func readsAnImport(line: String, module: String) {
        #expect(Imports.read("let a = 1\n\(line)\n") == [module])
    }

    @Test(
        "Recognizes nothing else as an import",
        arguments: ["// import Kith", "let x = \"import Kith\"", "importantly()"])
    func readsNothingElse(line: String) {
        #expect(Imports.read(line).isEmpty)
    }
}

/// The modules that a source text imports.
enum Imports {
    static func read(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            var words = line.split(whereSeparator: \.isWhitespace)[...]
            while let first = words.first, first.hasPrefix("@") || access.contains(first) { words = words.dropFirst() }
            guard words.popFirst() == "import" else { return nil }
            if let first = words.first, kinds.contains(first) { words = words.dropFirst() }
            return words.first.map { String($0.prefix { $0 != "." }) }
        }
    }

    private static let access: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "actor", "func", "var", "let", "typealias",
    ]
}
