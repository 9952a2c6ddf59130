import Foundation
import Kith
import KithModel
import Testing

@Suite("Where tokens are stored") struct CredentialStoreTests {
    private let folder = TemporaryFolder()
    private var url: URL { folder.url.appending(path: "below/credentials.json") }
    private let ada = AccountID(UUID())
    private let grace = AccountID(UUID())

    private func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    @Test("A token survives a restart, beside those of other accounts") func survives() throws {
        let store = FileCredentialStore(url: url)
        #expect(try store.token(for: ada) == nil)
        try store.save("a", for: ada)
        try store.save("g", for: grace)
        try store.save("a2", for: ada)
        let again = FileCredentialStore(url: url)
        #expect(try again.token(for: ada) == "a2")
        #expect(try again.token(for: grace) == "g")
        try again.deleteToken(for: ada)
        #expect(try store.token(for: ada) == nil)
        #expect(try store.token(for: grace) == "g")
        try again.deleteAllTokens()
        #expect(try store.token(for: grace) == nil)
    }

    @Test("Only the owner may read the file, even after a change") func mode() throws {
        let store = FileCredentialStore(url: url)
        try store.save("a", for: ada)
        #expect(try mode(url) == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
        try store.save("b", for: ada)
        #expect(try mode(url) == 0o600)
    }

    @Test("A crash while writing leaves the old tokens, and the next write works") func crash() throws {
        let store = FileCredentialStore(url: url)
        try store.save("a", for: ada)
        // Half of a new file, as a crash before the renaming leaves it.
        try Data("{\"".utf8).write(to: URL(fileURLWithPath: url.path + ".draft"))
        #expect(try store.token(for: ada) == "a")
        try store.save("g", for: grace)
        #expect(try store.token(for: ada) == "a")
        #expect(try store.token(for: grace) == "g")
        #expect(try mode(url) == 0o600)
        #expect(!FileManager.default.fileExists(atPath: url.path + ".draft"))
    }

    @Test("Several programs that use one file lose no token of each other") func severalPrograms() async throws {
        let (url, accounts) = (url, (0..<8).map { _ in AccountID(UUID()) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for account in accounts {
                group.addTask {
                    // Each store has its own lock in memory, as each program has.
                    let store = FileCredentialStore(url: url)
                    for step in 0..<20 {
                        try store.save("\(step)", for: .ended("\(account)"))
                        try store.save("\(step)", for: account)
                        try store.delete(.ended("\(account)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = FileCredentialStore(url: url)
        #expect(try accounts.map { try store.token(for: $0) } == accounts.map { _ in "19" })
        #expect(try accounts.allSatisfy { try store.secret(for: .ended("\($0)")) == nil })
    }

    @Test("A file that cannot be read is an error, not a loss") func unreadable() async throws {
        let store = FileCredentialStore(url: url)
        try store.save("a", for: ada)
        try Data("no tokens".utf8).write(to: url)
        #expect(await code { _ = try store.token(for: ada) } == .credentials)
        #expect(await code { try store.save("b", for: ada) } == .credentials)
        #expect(try Data(contentsOf: url) == Data("no tokens".utf8))
    }

    @Test("Tokens in memory are separate for each account") func inMemory() throws {
        let store = InMemoryCredentialStore()
        try store.save("a", for: ada)
        try store.save("g", for: grace)
        try store.deleteToken(for: ada)
        #expect(try store.token(for: ada) == nil)
        #expect(try store.token(for: grace) == "g")
        store.deleteAllTokens()
        #expect(try store.token(for: grace) == nil)
    }

    @Test("A source's password stays when all tokens are deleted, and can be deleted alone") func passwords() throws {
        for store in [InMemoryCredentialStore(), FileCredentialStore(url: url)] as [any CredentialStore] {
            try store.save("a", for: ada)
            try store.save("p", for: .source("work"))
            #expect(try store.secret(for: .source("home")) == nil)
            try store.deleteAllTokens()
            #expect(try store.token(for: ada) == nil)
            #expect(try store.secret(for: .source("work")) == "p")
            try store.delete(.source("work"))
            #expect(try store.secret(for: .source("work")) == nil)
        }
    }

    #if os(macOS)
        @Test("The keychain deletes every token, and keeps the passwords of sources") func keychain() throws {
            let store = KeychainCredentialStore(service: "kith test \(UUID())")
            try store.save("p", for: .source("work"))
            for account in [ada, grace] { try store.save("t", for: account) }
            try store.deleteAllTokens()
            for account in [ada, grace] { #expect(try store.token(for: account) == nil) }
            #expect(try store.secret(for: .source("work")) == "p")
            try store.delete(.source("work"))
            try store.deleteAllTokens()
        }
    #endif
}
