#if os(Linux)
    import Foundation
    import Processes
    import Testing

    @Suite("What an app links") struct LinkTests {
        /// The libraries that the linker recorded in a program, apart from those of Swift and the C library.
        private static func libraries(of program: String) async throws -> Set<String> {
            let listing = try await FinishedProcess(
                URL(filePath: "/usr/bin/readelf"),
                ["--dynamic", "--wide", World.program(program).path(percentEncoded: false)])
            try #require(listing.status == 0, "readelf failed: \(String(decoding: listing.complaints, as: UTF8.self))")
            let names = String(decoding: listing.output, as: UTF8.self)
                .matches(of: #/\(NEEDED\).*\[(lib[^\]]+?)\.so[^\]]*\]/#).map { String($0.1) }
            let platform =
                #/lib(swift\w*|_?Foundation(Essentials|Internationalization|ICU)?|dispatch|BlocksRuntime|c|m|gcc_s|stdc\+\+)/#
            return Set(names.filter { $0.wholeMatch(of: platform) == nil })
        }

        @Test("An app that imports only Kith links SQLite and nothing else")
        func smallest() async throws {
            #expect(try await Self.libraries(of: "KithLoad") == ["libsqlite3"])
        }

        @Test("A program that imports everything shows that the other libraries would be found")
        func whole() async throws {
            #expect(
                try await Self.libraries(of: "kith").isSuperset(of: [
                    "libfido2", "libphonenumber", "libsodium", "libsqlite3",
                ]))
        }
    }
#endif
