import Foundation
import Kith
import KithModel

/// Who the user is, and the session.
extension Santa {
    func showState() async throws {
        let status = try await client.status()
        let ready = try await client.session.isReadyToShare() ? "ready to share" : "not ready to share"
        let error = status.lastError?.sentence ?? "no error"
        terminal.say("state: \(status.session.rawValue); \(ready); \(status.waiting) edits wait; \(error)")
    }

    func showIdentity() async throws {
        let (profile, account) = (try await client.network.profile(), try await client.session.account())
        terminal.say("account: \(account?.description ?? "none yet")\nname: \(profile.fullName ?? "none")")
        // Only the server knows what is proved, so without it this is an error.
        let proved = try await client.signIn.identities().map(\.identity.shown)
        terminal.say("email: \(proved.first ?? profile.claimedEmail ?? "none"); \(proved.count) proved")
    }

    /// An email is enough for rewards of the app. Proved with a code, it also opens the account on other devices.
    func identify(_ text: String) async throws {
        try await client.signIn.identify(email: text)
        guard let email = EmailAddress(text) else { return }
        let sent = try await client.signIn.requestCode(for: .email(email), device: "Santa")
        let code = await terminal.ask("The code in the email, or nothing to prove it later:") ?? ""
        if code.isEmpty { return }
        let result = try await client.signIn.check(code, of: sent)
        terminal.say("identified: \(email.text)")
        try await decide(about: result.hidden)
    }

    private var tokenFile: URL { folder.appending(path: "santa.token") }

    func saveToken() async throws {
        guard let token = try await client.session.token() else { return terminal.say("There is no session.") }
        // Only the user may read it, because it opens the account.
        try Data().write(to: tokenFile)
        let path = tokenFile.path(percentEncoded: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try Data(token.utf8).write(to: tokenFile)
        terminal.say("saved")
    }

    func restoreToken() async throws {
        let activation = try await client.session.activate(token: String(contentsOf: tokenFile, encoding: .utf8))
        terminal.say("restored: \(activation.account)")
        try await decide(about: activation.hidden)
    }

    /// Another account is shown now. What the device had before is moved to it only if the user says so.
    private func decide(about hidden: HiddenStores) async throws {
        for store in hidden.stores {
            let isMoved = await terminal.agrees(to: "Move the \(store.lists) lists that this device had before?")
            try await client.accounts.decide(isMoved ? .move : .keep, about: store.scope)
        }
    }
}
