import Kith

/// Secrets in memory. A test chooses the changes that fail, as when the device is stopped before them.
final class BreakableCredentialStore: CredentialStore {
    private let store = InMemoryCredentialStore()
    private let condition = Kept<@Sendable (Credential, String?) -> Bool> { _, _ in false }

    /// Sets which changes fail, by the credential and its new secret; nil if it is deleted.
    func breaks(_ condition: @escaping @Sendable (Credential, String?) -> Bool) {
        self.condition.change { $0 = condition }
    }

    func secret(for credential: Credential) -> String? { store.secret(for: credential) }

    func save(_ secret: String, for credential: Credential) throws {
        if condition.value(credential, secret) { throw Crash() }
        store.save(secret, for: credential)
    }

    func delete(_ credential: Credential) throws {
        if condition.value(credential, nil) { throw Crash() }
        store.delete(credential)
    }

    func deleteAllTokens() { store.deleteAllTokens() }
}
