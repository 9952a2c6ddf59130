import KithServer
import Testing

@Suite("A relay’s reply to a recipient") struct RelayReplyTests {
    private func isAboutServer(_ text: String, from sender: String = "kith@kith.example") throws -> Bool {
        let code = try #require(Int(text.prefix(3)))
        return RelayReply(code: code, text: text).isAboutServer(sender: sender, recipient: "ada@example.com")
    }

    @Test(
        "Trap: A relay refuses the server or its sender only at the recipient – the message does not fail for it",
        arguments: [
            // Postfix.
            "550 5.1.0 <kith@kith.example>: Sender address rejected: User unknown in virtual mailbox table",
            "554 5.7.1 <kith@kith.example>: Sender address rejected: Access denied",
            "553 5.7.1 <kith@kith.example>: Sender address rejected: not owned by user kith",
            "554 5.7.1 <ada@example.com>: Relay access denied",
            "554 5.7.1 <localhost[127.0.0.1]>: Client host rejected: Access denied",
            "554 5.7.1 <kith.example>: Helo command rejected: Access denied",
            "554 5.7.1 Service unavailable; Client host [203.0.113.7] blocked using zen.example",
            // Others.
            "550 5.1.8 Bad sender", "553 5.1.7 Malformed sender", "530 5.7.0 Authentication required",
            "530 5.7.0 Authentication required 5.7.0 Sign in", "535 Wrong password",
            "538 5.7.11 Encryption required",
            "550 relay not permitted", "550 5.7.1 <ada@example.com>... Relaying denied",
            "550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain",
            "550 5.7.60 SMTP; Client does not have permissions to send as this sender",
            "550 KITH@kith.example may not send from here",
        ])
    func server(text: String) throws { #expect(try isAboutServer(text)) }

    @Test(
        "A refusal of the recipient is about the message",
        arguments: [
            "550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table",
            "550 5.1.1 The email account that you tried to reach does not exist. 5.1.1 gsmtp",
            "550 5.7.1 <ada@example.com>: Recipient address rejected: Access denied", "550 No such user", "550",
            "550 5.1.0 <ada@example.com>: Recipient address rejected: User unknown",
            "552 5.2.2 Mailbox full", "501 5.1.3 Bad recipient address syntax", "554 5.7.1 Content refused",
        ])
    func recipient(text: String) throws { #expect(try !isAboutServer(text)) }

    @Test("Somebody who writes to the sender itself is refused as a recipient")
    func sender() throws {
        let text = "550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown"
        #expect(try !isAboutServer(text, from: "ada@example.com") && !isAboutServer(text, from: "a@example.com"))
    }
}
