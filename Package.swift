// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is built with: the language's coming defaults, and no warnings.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// Products of other packages that several targets use.
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let inMemoryLogging = Target.Dependency.product(name: "InMemoryLogging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(
    name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux]))

// Only Linux has these. Elsewhere an app hands in functions of its own.
let fido = Target.Dependency.target(name: "FIDO", condition: .when(platforms: [.linux]))
let oprf = Target.Dependency.target(name: "OPRF", condition: .when(platforms: [.linux]))
let phoneNumbers = Target.Dependency.target(name: "PhoneNumbers", condition: .when(platforms: [.linux]))

// The files that are built into the server.
let languages = ["de", "en", "es", "fr"]
let messages = ["code", "device", "identity", "invitation", "joined", "recovery", "share", "wayin"].flatMap { kind in
    languages.map { "Messages/Templates/\(kind).\($0).message" }
}
let texts = languages.map { "Pages/Texts/page.\($0).json" }
let templates = [
    "account", "code", "decision", "deletion", "deliveries", "funnel", "health", "invitation", "items", "joined",
    "layout", "list", "operator", "pairing", "passkey", "problem", "question", "referrals", "share", "signin",
    "signout", "tabs", "unsubscribe",
].map { "Pages/Templates/\($0).mustache" }
let assets = ["icon.svg", "icons.svg", "style.css", "back.js", "copy.js", "list.js", "passkey.js", "signin.js"].map {
    "Pages/\($0)"
}

let package = Package(
    name: "Kith",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Kith", targets: ["Kith", "KithModel"]),
        .library(name: "KithAddressBook", targets: ["KithAddressBook"]),
        .library(name: "KithDiscovery", targets: ["KithDiscovery"]),
        .library(name: "KithCards", targets: ["KithCards"]),
        .library(name: "KithServer", targets: ["KithServer"]),
        .library(name: "FIDO", targets: ["FIDO"]),
        .executable(name: "kith", targets: ["KithCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        // Makes the QR codes of the command line and of the web pages.
        .systemLibrary(name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CJOSE", pkgConfig: "cjose", providers: [.apt(["libcjose-dev", "libjansson-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),

        // Debian has libphonenumber as a package; elsewhere an app hands in a parser of its own.
        .target(
            name: "CPhoneNumber",
            cxxSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("phonenumber"), .linkedLibrary("protobuf")]
        ),
        // Swift cannot call libcurl's variadic functions. The library is loaded with the first request, and not linked.
        // Other systems have URLSession.
        .target(name: "CCurl", cSettings: [.treatAllWarnings(as: .error)]),
        // Swift cannot call SQLite's variadic functions either.
        .target(
            name: "CSQLite",
            cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("sqlite3")]
        ),
        // The description of the API. As a resource in Swift, it would take minutes to compile.
        .target(name: "COpenAPI", cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "PhoneNumbers", dependencies: ["CPhoneNumber", "KithModel"], swiftSettings: house),

        // Debian has libsodium as a package; elsewhere an app hands in an oblivious function of its own.
        .target(name: "OPRF", dependencies: ["CSodium", "KithModel"], swiftSettings: house),

        // Debian has libfido2 as a package. A program that verifies passkeys passes it to the server.
        .target(
            name: "CFIDO",
            cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("fido2"), .linkedLibrary("cbor")]
        ),
        .target(name: "FIDO", dependencies: ["CFIDO", "KithModel"], swiftSettings: house),

        // The encodings of texts in cards, calendars and emails, and the rule for combining marks in all texts.
        .target(name: "TextEncodings", swiftSettings: house),
        .target(name: "KithModel", dependencies: ["TextEncodings"], swiftSettings: house),
        // vCard and JSContact: of use without the rest of Kith.
        .target(name: "KithCards", dependencies: ["TextEncodings"], swiftSettings: house),
        .target(
            name: "Kith",
            dependencies: [
                "KithModel", "TextEncodings", .target(name: "CCurl", condition: .when(platforms: [.linux])),
                grdb, grdbSQLite, logging,
            ],
            swiftSettings: house
        ),
        .target(
            name: "KithAddressBook",
            dependencies: ["Kith", "KithCards", "KithModel", "TextEncodings", phoneNumbers, grdb],
            swiftSettings: house
        ),
        .target(
            name: "KithDiscovery",
            dependencies: ["Kith", "KithAddressBook", "KithModel", oprf, grdb],
            swiftSettings: house
        ),
        .target(
            name: "KithServer",
            dependencies: [
                "KithModel", "TextEncodings", "OPRF", "CCurl", "CJOSE", "CQRCode", "CSodium", "CDeflate",
                "COpenAPI", "CPostgreSQL", "CSQLite",
                grdb, httpTypes, hummingbird, lifecycle, logging, metrics, nio,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: (messages + texts + templates + assets).map { Resource.embedInCode($0) },
            swiftSettings: house
        ),
        .executableTarget(
            name: "KithCommand",
            dependencies: [
                "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel", "KithServer", "TextEncodings",
                fido,
                phoneNumbers, arguments, hummingbird, lifecycle, logging, metrics, nio,
            ],
            swiftSettings: house
        ),

        // The demonstration, which `./run` shows. It uses Kith as an app does, and sees only what is public.
        .executableTarget(
            name: "Demo",
            dependencies: [
                "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel",
                arguments, subprocess, systemPackage,
            ],
            path: "Examples/Demo",
            resources: [
                .embedInCode("Resources/household.md"), .embedInCode("Resources/tea.json"),
                .embedInCode("Resources/android.vcf"),
                .embedInCode("Resources/iphone.vcf"), .embedInCode("Resources/gmail.vcf"),
                .embedInCode("Resources/outlook.vcf"), .embedInCode("Resources/khard.vcf"),
            ],
            packageAccess: false,
            swiftSettings: house
        ),

        // A small app that shares a wish list: the SDK, and nothing else.
        .executableTarget(
            name: "Santa",
            dependencies: ["Kith", "KithModel", logging],
            path: "Examples/Santa",
            packageAccess: false,
            swiftSettings: house
        ),

        // Programs in processes of their own, for the tests to start and kill: a real server among them.
        .target(
            name: "Processes",
            dependencies: [subprocess, systemPackage],
            path: "Tests/Processes",
            swiftSettings: house
        ),
        .testTarget(name: "TextEncodingsTests", dependencies: ["TextEncodings"], swiftSettings: house),
        .testTarget(name: "KithModelTests", dependencies: ["KithModel"], swiftSettings: house),
        .testTarget(name: "KithCardsTests", dependencies: ["KithCards", "Processes"], swiftSettings: house),
        .testTarget(name: "PhoneNumbersTests", dependencies: ["PhoneNumbers", "KithModel"], swiftSettings: house),
        .testTarget(name: "OPRFTests", dependencies: ["OPRF", "KithModel"], swiftSettings: house),
        .testTarget(
            name: "KithTests",
            dependencies: [
                "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel", "Processes", oprf, phoneNumbers,
                grdb, inMemoryLogging, logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "KithServerTests",
            dependencies: [
                "KithServer", "KithModel", "OPRF", "CJOSE", "Processes", "RankTest", "CSodium", fido,
                grdb, httpTypes, hummingbird, inMemoryLogging, lifecycle, logging, metrics, nio,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "KithCommandTests",
            dependencies: [
                "KithCommand", "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel", "KithServer",
                "Processes", arguments, grdb, inMemoryLogging, logging,
            ],
            swiftSettings: house
        ),
        // The simulation: devices, servers and their network in one process, and the auditor that judges them.
        .target(
            name: "Simulation",
            dependencies: [
                "Kith", "KithAddressBook", "KithDiscovery", "KithServer", "KithModel", grdb, grdbSQLite, logging,
                metrics,
            ],
            path: "Tests/Simulation",
            swiftSettings: house
        ),
        // Runs its worlds by the thousand, optimised: `./test simulate`.
        .executableTarget(
            name: "KithSimulation",
            dependencies: ["Simulation", "KithServer"],
            path: "Tests/KithSimulation",
            swiftSettings: house
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Simulation", "Kith", "KithServer", "KithModel", grdb],
            swiftSettings: house
        ),
        // A kind of record that the engine does not know, in worlds of its own.
        .testTarget(
            name: "RecipeTests",
            dependencies: ["Simulation", "Kith", "KithServer", "KithModel", grdb],
            swiftSettings: house
        ),
        // A real client under load, for ProcessTests to kill.
        .executableTarget(
            name: "KithLoad", dependencies: ["Kith", "KithModel"], path: "Tests/KithLoad", swiftSettings: house),
        .testTarget(
            name: "ProcessTests",
            dependencies: ["Kith", "KithModel", "KithCommand", "KithLoad", "Demo", "Santa", "Processes"],
            swiftSettings: house),
        // The statistics of `./bench signin`, here because a test checks them.
        .target(name: "RankTest", path: "Benchmarks/RankTest", swiftSettings: house),
        // The table of `./bench`, here because a test checks it.
        .target(name: "BenchReport", path: "Benchmarks/BenchReport", swiftSettings: house),
        .testTarget(name: "BenchReportTests", dependencies: ["BenchReport"], swiftSettings: house),
        // Says how many tests run at once. All test targets are in one program, so one of them links it for all.
        .target(name: "TestProgram", path: "Tests/TestProgram"),
        .testTarget(name: "HouseTests", dependencies: ["Processes", "TestProgram"], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)

// Built only when asked for: `./bench`.
if Context.environment["KITH_BENCHMARKS"] != nil {
    package.products.append(.executable(name: "kith-bench", targets: ["KithBench"]))
    // Glibc’s module in Swift has no epoll.
    package.targets.append(.systemLibrary(name: "CEpoll", path: "Benchmarks/CEpoll"))
    package.targets.append(
        .executableTarget(
            name: "KithBench",
            dependencies: [
                "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel", "KithServer", "OPRF",
                "PhoneNumbers", "CPhoneNumber", "CEpoll", "RankTest", "BenchReport",
                arguments, grdb, grdbSQLite, httpTypes, hummingbird, logging, nio,
            ],
            path: "Benchmarks/KithBench",
            swiftSettings: house
        ))
}

// Only the SDK and its tests, which is what an app builds: quick to build once more with a sanitizer, as `.ci/run` does.
if Context.environment["KITH_SDK_ONLY"] != nil {
    let sdk: Set = [
        "TextEncodings", "KithModel", "KithCards", "PhoneNumbers", "CPhoneNumber", "CCurl", "CSodium", "OPRF", "Kith",
        "KithAddressBook", "KithDiscovery", "Processes",
        "TextEncodingsTests", "KithModelTests", "KithCardsTests", "PhoneNumbersTests", "OPRFTests", "KithTests",
    ]
    package.targets.removeAll { !sdk.contains($0.name) }
    package.products.removeAll { !sdk.contains($0.name) }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let address, _) = dependency.kind else { return true }
        return !["GRDB.swift", "swift-log", "swift-subprocess", "swift-system"].contains { address.hasSuffix($0) }
    }
}
