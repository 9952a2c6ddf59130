import Foundation
import Kith
import KithModel

/// The emails that the server has sent. Without a mail relay, it writes them to files.
struct Mailbox: Sendable {
    let server: Server

    /// The newest email, line by line: its state, its file, then the email.
    func newest() async throws -> [String] {
        try await server.admin("outbox", "show").split(separator: "\n").map(String.init)
    }

    /// Proves an email of a person with the code that the server sends there.
    func prove(_ address: String, of person: Person, device: String) async throws {
        let sent = try await person.client.signIn.requestCode(for: try Self.email(address), device: device)
        guard let code = try await newest().first(where: { $0.wholeMatch(of: /\s*[0-9]{6}/) != nil }) else {
            throw StoryError("The mail to \(address) has a code.")
        }
        let result = try await person.client.signIn.check(code, of: sent)
        try check(result.account == person.account, "The account keeps its data.")
        try server.say(person.name, "types the code from the mail to \(address), and is signed in")
    }

    static func email(_ address: String) throws -> Identity {
        guard let email = EmailAddress(address) else { throw StoryError("\(address) is an email.") }
        return .email(email)
    }
}
