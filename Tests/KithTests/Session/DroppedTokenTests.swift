import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("The tokens of dropped stores") struct DroppedTokenTests {
    private let folder = TemporaryFolder()
    /// What happens, once, after the next commit.
    private let deed = Kept<(@Sendable () throws -> Void)?>(nil)

    private func afterNextCommit() -> Replica.Faults {
        var faults = Replica.Faults()
        faults.afterCommit = { [deed] in
            let next = deed.value
            deed.change { $0 = nil }
            try next?()
        }
        return faults
    }

    @Test("Trap: Another process signs in just after everything was dropped – it keeps its token") func signedInAfter()
        async throws
    {
        let (phone, _) = try await Phone.withList(file: folder.replica, faults: afterNextCommit())
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        let seen = try await phone.client.accounts.all()
        let account = AccountID(UUID())
        let signIn: @Sendable () throws -> Void = {
            try other.client.replica.writeNow { transaction in
                try transaction.switchStore(to: account, event: .activated(isIdentified: true))
                try other.credentials.save("token", for: account)
            }
        }
        deed.change { $0 = signIn }
        try await phone.client.accounts.dropEverything(expecting: seen)
        #expect(try phone.credentials.token(for: account) == "token")
        #expect(try await phone.client.session.account() == account)
        #expect(try seen.compactMap(\.account).allSatisfy { try phone.credentials.token(for: $0) == nil })
    }

    @Test(
        "Trap: Another process drops everything while a sign-in or a new session saves its token – it waits for the store",
        arguments: [false, true])
    func savedWithItsStore(isAnonymous: Bool) async throws {
        let credentials = LockNotingStore(folder.replica)
        let phone = try Phone(file: folder.replica, credentials: credentials)
        let account = try await isAnonymous ? phone.client.session.open().account : phone.switchAccount()
        #expect(credentials.others == [.wait])
        #expect(try credentials.token(for: account) != nil)
    }

    @Test("Trap: The task is cancelled as soon as the stores are dropped – their tokens are deleted, too")
    func cancelled() async throws {
        let (phone, _) = try await Phone.withList(file: folder.replica, faults: afterNextCommit())
        let account = try #require(try await phone.client.session.account())
        let isReady = Switch()
        let drop = Task {
            try await until { isReady.isOn }
            _ = try? await phone.client.accounts.dropEverything()
        }
        let cancel: @Sendable () throws -> Void = { drop.cancel() }
        deed.change { $0 = cancel }
        isReady.isOn = true
        try await drop.value
        #expect(try await phone.client.session.account() == nil)
        #expect(try phone.credentials.token(for: account) == nil)
    }

    @Test("Dropping everything also deletes a token without a store") func withoutStore() async throws {
        let (phone, _) = try await Phone.withList(file: folder.replica)
        let account = AccountID(UUID())
        try phone.credentials.save("token", for: account)
        try await phone.client.accounts.dropEverything()
        #expect(try phone.credentials.token(for: account) == nil)
    }
}

/// Secrets in memory. It notes whether other processes can write to the replica or have to wait, whenever a session's token is
/// saved.
private final class LockNotingStore: CredentialStore {
    enum Others { case write, wait }

    private let store = InMemoryCredentialStore()
    private let replica: URL
    private let noted = Kept<[Others]>([])

    init(_ replica: URL) { self.replica = replica }

    var others: [Others] { noted.value }

    func secret(for credential: Credential) throws -> String? { store.secret(for: credential) }

    func save(_ secret: String, for credential: Credential) throws {
        if case .session = credential {
            let other = try DatabaseQueue(path: replica.path())
            let written: Void? = try? other.inTransaction(.immediate) { _ in .rollback }
            noted.change { $0.append(written == nil ? .wait : .write) }
        }
        store.save(secret, for: credential)
    }

    func delete(_ credential: Credential) throws { store.delete(credential) }

    func deleteAllTokens() throws { store.deleteAllTokens() }
}
