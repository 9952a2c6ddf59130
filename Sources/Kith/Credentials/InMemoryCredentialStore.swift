import KithModel
import Synchronization

/// Keeps secrets only in memory, for tests and previews.
public final class InMemoryCredentialStore: CredentialStore {
    private let secrets = Mutex<[Credential: String]>([:])

    /// Creates a store without secrets.
    public init() {}

    /// The secret of this credential, or nil if there is none.
    public func secret(for credential: Credential) -> String? { secrets.withLock { $0[credential] } }

    /// Keeps a secret until the object is released.
    public func save(_ secret: String, for credential: Credential) { secrets.withLock { $0[credential] = secret } }

    /// Deletes a secret, if there is one.
    public func delete(_ credential: Credential) { secrets.withLock { $0[credential] = nil } }

    /// Deletes the token of every session.
    public func deleteAllTokens() {
        secrets.withLock { secrets in
            secrets = secrets.filter { !$0.key.isSession }
        }
    }
}
