#if os(Linux)
    import Foundation
    import Testing

    /// What a program links, read from the program itself: the names of its libraries are texts in it.
    @Suite("What an app links") struct LinkTests {
        private static func libraries(in program: URL) throws -> Set<String> {
            let bytes = try Data(contentsOf: program)
            return Set(
                ["libphonenumber.so", "libsodium.so", "libsqlite3.so"].filter { bytes.range(of: Data($0.utf8)) != nil })
        }

        @Test("An app that imports only Kith links neither libphonenumber nor libsodium")
        func smallest() throws {
            #expect(try Self.libraries(in: World.program("KithLoad")) == ["libsqlite3.so"])
            // What uses them all shows that the names would be found.
            let whole = try Self.libraries(in: World.program("kith"))
            #expect(whole.isSuperset(of: ["libphonenumber.so", "libsodium.so"]))
        }
    }
#endif
