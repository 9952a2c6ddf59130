import Kith
import KithModel

/// The checks of commands that show a session, or change which one is shown.
extension CommandContext {
    /// The state of the session, in a sentence.
    func sentence(on state: SessionState) async throws -> String {
        guard let store = try await client.accounts.store(shown()), store.account != nil else { return state.sentence }
        let isOver = state == .invalidToken || (only != nil && [.loggedOut, .inactive].contains(state))
        return isOver || store.lacksToken ? store.over() : state.sentence
    }

    /// Checks that a store of this device still has a session, before it is shown.
    ///
    /// - Returns: Whether its server has answered.
    /// - Throws: ``Failure`` if the session has ended. Only the store's known state has changed then.
    func checkSession(of store: StoredAccount) async throws -> Bool {
        guard store.canSend else { throw Failure(.notSignedIn, "unauthorized", store.over()) }
        guard let server = location.server, !isOffline else { return false }
        // A pinned client does not replace a refused session by a new one.
        let other = try location.client(of: store.scope, at: server)
        do {
            try await console.progress("Asking") {
                try await within(Self.answerTimeout) { _ = try await other.session.verify() }
            }
            return true
        } catch let error as KithError where [.unauthorized, .accountClosed].contains(error.code) {
            // The round records it in the store.
            if !store.isCurrent { try? await within(Self.answerTimeout) { try await other.syncNow() } }
            throw Failure(.notSignedIn, error.code.rawValue, store.over(because: error.code))
        } catch is KithError {
            return false
        } catch is TookTooLong {
            return false
        }
    }

    /// Gives this device the name that the user has asked for. If that fails, a note says so, because the sign-in is done.
    func nameDevice(_ name: String?) async throws {
        guard let name else { return }
        do {
            try await client.session.nameDevice(name)
        } catch let error as KithError {
            console.note(
                "This device was not named: \(error.sentence) To name it: kith session devices --name NAME".printable)
        }
    }

    /// Stops a command that changes the current account if `--account` names one.
    func requireShown(
        _ command: String,
        _ advice: (AccountScope) -> String = { "To show that account first: kith session use \($0.typed)" }
    ) throws {
        guard let only else { return }
        throw Failure.usage(
            """
            “kith \(command)” changes which account this device shows, so it cannot be used with --account. \
            \(advice(only))
            """)
    }
}
