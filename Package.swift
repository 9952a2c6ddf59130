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

        .target(name: "KithModel", swiftSettings: house),
        // vCard and JSContact: of use without the rest of Kith.
        .target(name: "KithCards", swiftSettings: house),
        .target(
            name: "Kith",
            dependencies: [
                "KithModel",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house
        ),
        .target(
            name: "KithAddressBook",
            dependencies: [
                "Kith", "KithCards", "KithModel",
                .target(name: "PhoneNumbers", condition: .when(platforms: [.linux])),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: house
        ),
        .target(
            name: "KithDiscovery",
            dependencies: [
                "Kith", "KithAddressBook", "KithModel",
                .target(name: "OPRF", condition: .when(platforms: [.linux])),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: house
        ),
        .target(
            name: "KithServer",
            dependencies: [
                "KithModel", "OPRF", "CCurl", "CJOSE", "CQRCode", "CSodium", "CDeflate",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("API/openapi.json"),
                .embedInCode("Messages/Templates/code.en.message"), .embedInCode("Messages/Templates/code.de.message"),
                .embedInCode("Messages/Templates/code.fr.message"), .embedInCode("Messages/Templates/code.es.message"),
                .embedInCode("Messages/Templates/invitation.en.message"),
                .embedInCode("Messages/Templates/invitation.de.message"),
                .embedInCode("Messages/Templates/invitation.fr.message"),
                .embedInCode("Messages/Templates/invitation.es.message"),
                .embedInCode("Messages/Templates/share.en.message"),
                .embedInCode("Messages/Templates/share.de.message"),
                .embedInCode("Messages/Templates/share.fr.message"),
                .embedInCode("Messages/Templates/share.es.message"),
                .embedInCode("Messages/Templates/joined.en.message"),
                .embedInCode("Messages/Templates/joined.de.message"),
                .embedInCode("Messages/Templates/joined.fr.message"),
                .embedInCode("Messages/Templates/joined.es.message"),
                .embedInCode("Messages/Templates/recovery.en.message"),
                .embedInCode("Messages/Templates/recovery.de.message"),
                .embedInCode("Messages/Templates/recovery.fr.message"),
                .embedInCode("Messages/Templates/recovery.es.message"),
                .embedInCode("Pages/style.css"), .embedInCode("Pages/icons.svg"), .embedInCode("Pages/icon.svg"),
                .embedInCode("Pages/copy.js"), .embedInCode("Pages/passkey.js"),
                .embedInCode("Pages/signin.js"), .embedInCode("Pages/Templates/signin.mustache"),
                .embedInCode("Pages/Templates/account.mustache"), .embedInCode("Pages/Templates/deletion.mustache"),
                .embedInCode("Pages/list.js"), .embedInCode("Pages/Templates/items.mustache"),
                .embedInCode("Pages/Templates/layout.mustache"), .embedInCode("Pages/Templates/invitation.mustache"),
                .embedInCode("Pages/Templates/code.mustache"), .embedInCode("Pages/Templates/joined.mustache"),
                .embedInCode("Pages/Templates/list.mustache"), .embedInCode("Pages/Templates/problem.mustache"),
                .embedInCode("Pages/Templates/unsubscribe.mustache"), .embedInCode("Pages/Templates/passkey.mustache"),
                .embedInCode("Pages/Templates/pairing.mustache"), .embedInCode("Pages/Templates/share.mustache"),
                .embedInCode("Pages/Templates/tabs.mustache"), .embedInCode("Pages/Templates/signout.mustache"),
                .embedInCode("Pages/Templates/operator.mustache"), .embedInCode("Pages/Templates/funnel.mustache"),
                .embedInCode("Pages/Templates/referrals.mustache"), .embedInCode("Pages/Templates/decision.mustache"),
                .embedInCode("Pages/Templates/deliveries.mustache"), .embedInCode("Pages/Templates/health.mustache"),
                .embedInCode("Pages/Texts/page.en.json"), .embedInCode("Pages/Texts/page.de.json"),
                .embedInCode("Pages/Texts/page.fr.json"), .embedInCode("Pages/Texts/page.es.json"),
                .embedInCode("Messages/Templates/device.en.message"),
                .embedInCode("Messages/Templates/device.de.message"),
                .embedInCode("Messages/Templates/device.fr.message"),
                .embedInCode("Messages/Templates/device.es.message"),
                .embedInCode("Messages/Templates/identity.en.message"),
                .embedInCode("Messages/Templates/identity.de.message"),
                .embedInCode("Messages/Templates/identity.fr.message"),
                .embedInCode("Messages/Templates/identity.es.message"),
                .embedInCode("Messages/Templates/wayin.en.message"),
                .embedInCode("Messages/Templates/wayin.de.message"),
                .embedInCode("Messages/Templates/wayin.fr.message"),
                .embedInCode("Messages/Templates/wayin.es.message"),
            ],
            swiftSettings: house
        ),
        .executableTarget(
            name: "KithCommand",
            dependencies: [
                "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel", "KithServer",
                .target(name: "FIDO", condition: .when(platforms: [.linux])),
                .target(name: "PhoneNumbers", condition: .when(platforms: [.linux])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house
        ),

        // The demonstration, which `./run` shows. It uses Kith as an app does, and sees only what is public.
        .executableTarget(
            name: "Demo",
            dependencies: [
                "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
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
            dependencies: ["Kith", "KithModel", .product(name: "Logging", package: "swift-log")],
            path: "Examples/Santa",
            packageAccess: false,
            swiftSettings: house
        ),

        // Programs in processes of their own, for the tests to start and kill: a real server among them.
        .target(
            name: "Processes",
            dependencies: [
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(
                    name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
            ],
            path: "Tests/Processes",
            swiftSettings: house
        ),
        .testTarget(name: "KithModelTests", dependencies: ["KithModel"], swiftSettings: house),
        .testTarget(name: "KithCardsTests", dependencies: ["KithCards", "Processes"], swiftSettings: house),
        .testTarget(name: "PhoneNumbersTests", dependencies: ["PhoneNumbers", "KithModel"], swiftSettings: house),
        .testTarget(name: "OPRFTests", dependencies: ["OPRF", "KithModel"], swiftSettings: house),
        .testTarget(
            name: "KithTests",
            dependencies: [
                "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel", "Processes",
                .target(name: "OPRF", condition: .when(platforms: [.linux])),
                .target(name: "PhoneNumbers", condition: .when(platforms: [.linux])),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "KithServerTests",
            dependencies: [
                "KithServer", "KithModel", "OPRF", "CJOSE", "Processes", "RankTest", "CSodium",
                .target(name: "FIDO", condition: .when(platforms: [.linux])),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "KithCommandTests",
            dependencies: [
                "KithCommand", "Kith", "KithAddressBook", "KithCards", "KithDiscovery", "KithModel", "KithServer",
                "Processes",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house
        ),
        // The simulation: devices, servers and their network in one process, and the auditor that judges them.
        .target(
            name: "Simulation",
            dependencies: [
                "Kith", "KithAddressBook", "KithDiscovery", "KithServer", "KithModel",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            path: "Tests/Simulation",
            swiftSettings: house
        ),
        // Runs its worlds by the thousand, optimised: `./test simulate`.
        .executableTarget(
            name: "KithSimulation", dependencies: ["Simulation"], path: "Tests/KithSimulation", swiftSettings: house),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Simulation", "Kith", "KithServer", "KithModel", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: house
        ),
        // A kind of record that the engine does not know, in worlds of its own.
        .testTarget(
            name: "RecipeTests",
            dependencies: [
                "Simulation", "Kith", "KithServer", "KithModel", .product(name: "GRDB", package: "GRDB.swift"),
            ],
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
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Benchmarks/KithBench",
            swiftSettings: house
        ))
}

// Only the SDK and its tests, which is what an app builds: quick to build once more with a sanitizer, as `.ci/run` does.
if Context.environment["KITH_SDK_ONLY"] != nil {
    let sdk: Set = [
        "KithModel", "KithCards", "PhoneNumbers", "CPhoneNumber", "CCurl", "CSodium", "OPRF", "Kith",
        "KithAddressBook", "KithDiscovery", "Processes",
        "KithModelTests", "KithCardsTests", "PhoneNumbersTests", "OPRFTests", "KithTests",
    ]
    package.targets.removeAll { !sdk.contains($0.name) }
    package.products.removeAll { !sdk.contains($0.name) }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let address, _) = dependency.kind else { return true }
        return !["GRDB.swift", "swift-log", "swift-subprocess", "swift-system"].contains { address.hasSuffix($0) }
    }
}
