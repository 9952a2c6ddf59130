import Foundation
import Kith
import KithModel
import Processes
import Testing

@Suite("The log of the SDK and its user", .timeLimit(.minutes(15))) struct LogPrivacyTests {
    private let folder = Folder()
    private let log = LogLines()

    private func makeProgramme() async throws {
        let file = try folder.write(
            #"{"name": "friends", "title": {"en": "Tea"}, "text": {"en": "Join us."}}"#, to: "friends.json")
        let made = try await folder.admin("programme", "create", file)
        try #require(made.status == 0, "\(made.complaints)")
    }

    @Test("A whole session at the finest level leaves nothing of the person in the log")
    func wholeSession() async throws {
        let server = try await folder.server()
        try await makeProgramme()
        var configuration = KithConfiguration(server: server.url, storage: .directory(folder.file("adelheid")))
        configuration.logger = log.logger
        let client = try KithClient(configuration)
        let running = Task { await client.run() }
        defer { running.cancel() }
        var secrets = ["Adelheid", "Zwirner", "Überraschung", "Teleskop", "friend@", "ADA-TEA", folder.url.path()]

        try await client.network.updateProfile { ($0.given, $0.family) = ("Adelheid", "Zwirner") }
        let list = try await client.lists.create("Überraschung").id
        let item = try await client.lists.add("Teleskop", to: list)
        let mine = try await client.sharing.shareable(in: "friends")
        try await client.sharing.setCode("ada-tea", of: mine.id)
        try await client.caughtUp()
        let anonymous = try #require(try await client.session.token())
        let account = try #require(try await client.session.account())
        secrets += [anonymous, "\(account)", "\(list)", "\(item.id)", "\(mine.id)", mine.code.text]

        let email = try #require(EmailAddress("adelheid.zwirner@example.com"))
        let sent = try await client.signIn.requestCode(for: .email(email), device: "Adelheid’s phone")
        let code = try await folder.outbox.code(0)
        _ = try await client.signIn.check(code, of: sent)
        secrets += [code, "\(sent.id)"]
        let link = try await client.lists.invite(to: list, as: .editor)
        secrets.append(try #require(link.token))
        let friend = try #require(EmailAddress("friend@example.com"))
        try await client.sharing.email(mine.id, to: .email(friend), subject: "Teleskop", message: "Adelheid")
        try await client.syncNow()

        // What fails: no server, an illegal code, a token that nobody knows.
        try await server.stop()
        await #expect(throws: KithError.self) { try await client.syncNow() }
        try await server.start()
        try await client.caughtUp()
        await #expect(throws: KithError.self) { try await client.sharing.setCode("Zwirner!", of: mine.id) }
        await #expect(throws: KithError.self) { try await client.session.activate(token: "Zwirner") }
        try await client.session.logOut()
        try await client.session.open()
        try await client.caughtUp()
        secrets.append(try #require(try await client.session.token()))
        running.cancel()
        await running.value

        let text = log.text
        for part in ["The state of the session has changed.", "A round has ended.", "Another store is", "offline"] {
            #expect(text.contains(part), "\(text)")
        }
        for secret in secrets where text.localizedCaseInsensitiveContains(secret) {
            Issue.record("The log has “\(secret)”:\n\(text)")
        }
    }
}
