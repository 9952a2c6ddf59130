import KithModel
import Synchronization

/// The sessions in which this client has begun something that later requests are about, such as a pairing. Of each account it
/// remembers the last one.
///
/// What was begun belongs to its account, also if another account is the current one by the time of a later request.
final class SessionMemory<ID: Hashable & Sendable>: Sendable {
    private struct Beginning {
        let id: ID
        let session: CurrentSession
    }

    private let beginnings = Mutex<[AccountID: Beginning]>([:])

    /// Notes that something was begun in a session.
    func note(_ id: ID, in session: CurrentSession) {
        beginnings.withLock { $0[session.id] = Beginning(id: id, session: session) }
    }

    /// The session for a later request about something: the one in which this client has begun it, if another account is the
    /// current one now; otherwise the current one, because the user may have signed in to the account again.
    func session(of id: ID, _ requests: SessionRequests) async throws -> CurrentSession {
        let begun = beginnings.withLock { beginnings in beginnings.values.first { $0.id == id }?.session }
        guard let begun else { return try await requests.session() }
        let account = try await requests.engine.replica.read { $0.account.id }
        if account != begun.id { return begun }
        let current = try await requests.session()
        return current.id == begun.id ? current : begun
    }
}
