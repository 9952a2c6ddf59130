import Kith

/// Secrets in memory. A test chooses what another process does just before a secret is read.
final class ReadCredentialStore: CredentialStore {
    private struct Deed: Sendable {
        let credential: Credential
        let run: @Sendable () throws -> Void
    }

    private let store = InMemoryCredentialStore()
    private let deed = Kept<Deed?>(nil)

    /// Sets what happens, once, before `credential` is read the next time.
    func willRead(_ credential: Credential, _ run: @escaping @Sendable () throws -> Void) {
        deed.change { $0 = Deed(credential: credential, run: run) }
    }

    func secret(for credential: Credential) throws -> String? {
        if let next = deed.value, next.credential == credential {
            deed.change { $0 = nil }
            try next.run()
        }
        return store.secret(for: credential)
    }

    func save(_ secret: String, for credential: Credential) { store.save(secret, for: credential) }

    func delete(_ credential: Credential) { store.delete(credential) }

    func deleteAllTokens() { store.deleteAllTokens() }
}
