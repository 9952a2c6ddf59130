import Foundation
import Kith
import KithModel

/// The messages and actions for a session that has ended.
extension CommandContext {
    /// Does `work`. If it fails because a session has ended, the failure says what to do next.
    func advising<Done>(_ work: () async throws -> Done) async throws -> Done {
        do {
            return try await work()
        } catch let error as KithError where [.unauthorized, .accountClosed].contains(error.code) {
            throw await failure(error)
        }
    }

    /// The failure for an error of the SDK. If a session has ended, it says what to do next.
    func failure(_ error: KithError) async -> Failure {
        let plain = Failure(ExitStatus(error.code), error.code.rawValue, error.sentence)
        guard [.unauthorized, .accountClosed].contains(error.code) else { return Failure(error) ?? plain }
        guard let shown = try? await shown(), let store = try? await client.accounts.store(shown) else { return plain }
        if store.account == nil {
            let advice = " The commands for that: kith session new, kith session use TOKEN, kith accounts"
            return Failure(plain.status, plain.code, plain.sentence + advice)
        }
        guard error.cause is Problem || !store.canSend else { return plain }
        return Failure(plain.status, plain.code, store.over(because: error.code))
    }

    /// The state of the session, in a sentence.
    func sentence(on state: SessionState) async throws -> String {
        guard let only, [.loggedOut, .invalidToken, .inactive].contains(state),
            let store = try await client.accounts.store(only), store.account != nil
        else { return state.sentence }
        return store.over()
    }

    /// Checks that a store of this device still has a session, before it is shown.
    ///
    /// - Returns: Whether its server has answered.
    /// - Throws: ``Failure`` if the session has ended. Only the store's known state has changed then.
    func checkSession(of store: StoredAccount) async throws -> Bool {
        guard store.canSend else { throw Failure(.notSignedIn, "unauthorized", store.over()) }
        guard let server = place.server, !isOffline else { return false }
        // A client for one store does not replace a refused session by a new one.
        let other = try client(of: store.scope, at: server)
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

    /// Stops a command that changes the current account if `--account` names one.
    func requireShown(
        _ command: String,
        _ advice: (AccountScope) -> String = { "To show that account first: kith session use \($0.typed)" }
    ) throws {
        guard let only else { return }
        throw Failure(
            .usage, "usage",
            """
            “kith \(command)” changes which account this device shows, so it cannot be used with --account. \
            \(advice(only))
            """)
    }

    /// A client for one store of this device.
    func client(of scope: AccountScope, at server: URL?) throws -> KithClient {
        var configuration = KithConfiguration(server: server, storage: .directory(place.folder))
        configuration.account = scope
        return try KithClient(configuration)
    }

    /// A client that may change every store of this device. A client for one store cannot drop that store.
    func wholeDevice() throws -> KithClient {
        only == nil ? client : try KithClient(KithConfiguration(storage: .directory(place.folder)))
    }
}

extension AccountScope {
    /// The command that moves the lists of the store to the current account.
    var movingCommand: String { "kith move-lists --from \(typed)" }
}

extension StoredAccount {
    /// The sentence that the store's session has ended, and how to reach its contents.
    ///
    /// - Parameter code: The server's error code; nil if the state comes from the store.
    /// - Returns: Sentences for people.
    func over(because code: KithError.Code? = nil) -> String {
        let reason =
            if code == .accountClosed || state == .inactive {
                "The server has deleted \(called)."
            } else if code == nil && (state == .loggedOut || !hasToken) {
                "This device has no session of \(called) any more."
            } else {
                "The server no longer accepts the token of \(called)."
            }
        if isCurrent && isIdentified && state != .inactive && code != .accountClosed {
            return reason + " The data stays on this device. To sign in again: kith session register EMAIL"
        }
        if isCurrent {
            return reason
                + " The data stays on this device: kith accounts. For a new session, which can take over its lists: kith session new --move"
        }
        if lists == 0 { return reason + " None of its lists is on this device." }
        return reason
            + " Its lists stay on this device: kith --account \(scope.typed) lists; to move them here: \(scope.movingCommand)"
    }
}
