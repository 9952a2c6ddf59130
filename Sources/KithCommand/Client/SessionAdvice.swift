import Foundation
import Kith
import KithModel

/// What the user is told about the state of the session, and when it has ended.
struct SessionAdvice: Sendable {
    let client: KithClient
    /// Whether the client works with one store only, because `--account` names it.
    let isPinned: Bool

    /// The state of the session, in a sentence.
    func sentence(on state: SessionState) async throws -> String {
        guard let store = try await client.accounts.store(client.shownScope()), store.account != nil else {
            return state.sentence
        }
        let isOver = state == .invalidToken || (isPinned && [.loggedOut, .inactive].contains(state))
        return isOver || store.lacksToken ? store.over() : state.sentence
    }

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
        guard let shown = try? await client.shownScope(), let store = try? await client.accounts.store(shown) else {
            return plain
        }
        if store.account == nil {
            let advice = " The commands for that: kith session new, kith session use TOKEN, kith accounts"
            return Failure(plain.status, plain.code, plain.sentence + advice)
        }
        guard error.cause is Problem || !store.canSend else { return plain }
        return Failure(plain.status, plain.code, store.over(because: error.code))
    }
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
            } else if state == .loggedOut {
                "This device has no session of \(called) any more."
            } else if lacksToken {
                "This device does not have the token of \(called). If another program has it: kith session use TOKEN."
            } else {
                "The server no longer accepts the token of \(called)."
            }
        if isIdentified && state != .inactive && code != .accountClosed {
            let way = isCurrent || lists == 0 ? "" : ": kith --account \(scope.typed) lists"
            return reason + " The data stays on this device\(way). To \(SignInCommands.again)"
        }
        let isDeleted = state == .inactive || code == .accountClosed
        let recovery = isDeleted ? "" : " If you have a recovery code of it: kith session recovery use CODE."
        if isCurrent {
            return """
                \(reason) The data stays on this device: kith accounts.\(recovery) For a new session, which can take over its \
                lists: kith session new --move
                """
        }
        if lists == 0 { return "\(reason) None of its lists is on this device.\(recovery)" }
        return """
            \(reason)\(recovery) Its lists stay on this device: kith --account \(scope.typed) lists; to move them here: \
            \(scope.movingCommand)
            """
    }
}
