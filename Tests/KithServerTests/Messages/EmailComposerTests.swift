import Foundation
import KithModel
import KithServer
import Testing

@Suite("A composed email") struct EmailComposerTests {
    private let composer = EmailComposer(from: MailAddress("Kith <kith@kith.example>")!)  // The address is valid.

    private func message(
        subject: String = "Hello", text: String = "Hello\n", html: String = "<p>Hello</p>\n", unsubscribe: String? = nil
    ) -> StoredMessage {
        StoredMessage(
            id: .numbered(1), channel: .email, kind: .invitation, language: "en", recipient: "ada@example.com",
            subject: subject, text: text, html: html, unsubscribe: unsubscribe, created: HandClock.start,
            expires: HandClock.start)
    }

    private func lines(_ message: StoredMessage) -> [String] {
        String(decoding: composer.compose(message), as: UTF8.self).components(separatedBy: "\r\n")
    }

    private func head(_ message: StoredMessage) -> [String] { Array(lines(message).prefix { !$0.isEmpty }) }

    @Test(
        "Trap: An address has dots at its ends or two in a row – it is quoted in the email and on the envelope",
        arguments: [
            (".a..b.@example.com", "\".a..b.\"@example.com"), (".ada@example.com", "\".ada\"@example.com"),
            ("ada.@example.com", "\"ada.\"@example.com"), ("a..b@example.com", "\"a..b\"@example.com"),
            ("a.b+c@example.com", "a.b+c@example.com"), ("o'neill@example.com", "o'neill@example.com"),
        ])
    func dots(address: String, mailbox: String) throws {
        var message = message()
        message.recipient = address
        #expect(head(message).contains("To: \(mailbox)"))
        #expect(EmailAddress(address)?.mailbox == mailbox)
        let composer = EmailComposer(from: try #require(MailAddress("Kith <\(address)>")))
        let bytes = String(decoding: composer.compose(message), as: UTF8.self)
        #expect(bytes.contains("\r\nFrom: Kith <\(mailbox)>\r\n"))
        #expect((BounceAddress(address) == nil) == (mailbox != address || address.contains("+")))
    }

    @Test("Has these bytes") func golden() {
        let message = message(
            subject: "Ben lädt dich zu „Straßenfest“ ein", text: "Grüße,\n.\nBen = Benjamin \n",
            unsubscribe: "https://kith.example/unsubscribe/abc")
        let expected = """
            Date: Fri, 15 Jan 2027 08:00:00 +0000
            From: Kith <kith@kith.example>
            To: ada@example.com
            Message-ID: <019c0000-0000-7000-8000-000000000001@kith.example>
            Subject: =?utf-8?B?QmVuIGzDpGR0IGRpY2ggenUg4oCeU3RyYcOfZW5mZXN04oCcIGVp?=
             =?utf-8?B?bg==?=
            Auto-Submitted: auto-generated
            Content-Language: en
            List-Unsubscribe: <https://kith.example/unsubscribe/abc>
            List-Unsubscribe-Post: List-Unsubscribe=One-Click
            MIME-Version: 1.0
            Content-Type: multipart/alternative;
             boundary="=_019c0000-0000-7000-8000-000000000001"

            --=_019c0000-0000-7000-8000-000000000001
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            Gr=C3=BC=C3=9Fe,
            =2E
            Ben =3D Benjamin=20
            --=_019c0000-0000-7000-8000-000000000001
            Content-Type: text/html; charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            <p>Hello</p>
            --=_019c0000-0000-7000-8000-000000000001--

            """
        #expect(lines(message) == expected.components(separatedBy: "\n"))
    }

    @Test(
        "A hostile subject stays in its header field, in lines of ASCII",
        arguments: [
            "Hi\r\nBcc: eve@example.com", "Hi\nBcc: eve@example.com", "Hi\rBcc: eve@example.com",
            "Hi\u{2028}Bcc: eve@x",
            "Hi\u{0}there\u{85}Bcc: eve@example.com", "\u{202E}txt.exe\u{202C}", "=?utf-8?B?QmNjOg==?=",
            "שלום, עולם", "مرحبا", String(repeating: "a", count: 998), String(repeating: "ü", count: 500),
            String(repeating: "word ", count: 200), "e" + String(repeating: "\u{301}", count: 300), "", "   ",
        ])
    func hostileSubjects(subject: String) {
        let harmless = head(message(subject: "Hello")).filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        let lines = head(message(subject: subject))
        let fields = lines.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(fields == harmless)
        for line in lines {
            #expect(line.utf8.count <= 78 || !line.contains("=?"), "\(line)")
            #expect(line.utf8.count <= 998 && line.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(line)")
        }
    }

    @Test("A subject is read as it was written, without control characters and changes of direction")
    func readSubject() {
        func read(_ subject: String) -> String {
            let lines = head(message(subject: subject)).joined(separator: "\n")
            let field =
                lines.components(separatedBy: "\nSubject: ").last?.components(separatedBy: "\nAuto-").first ?? ""
            return field.replacing("\n ", with: field.contains("=?") ? "" : " ")
                .replacing(/=\?utf-8\?B\?([A-Za-z0-9+\/=]*)\?=/) {
                    String(decoding: Data(base64Encoded: String($0.output.1)) ?? Data(), as: UTF8.self)
                }
        }
        for subject in ["שלום, עולם", "Ben invites you", "日本語のとても長い件名がここにあります。もっと長くしましょう。", "a\u{301}e\u{301}"] {
            #expect(read(subject) == subject)
        }
        let long = String(repeating: "word ", count: 40).trimmingCharacters(in: .whitespaces)
        #expect(read(long) == long)
        #expect(read("a\u{202E}b\u{202C} \u{7}c\td") == "ab c d")
    }

    @Test(
        "Every body has short lines of ASCII",
        arguments: [
            String(repeating: "a", count: 2_000) + "\n", String(repeating: "ü", count: 2_000), "\u{0}\u{1}\u{7F}\n",
            "From here\n", "..\n.\n", "a \nb\t\n", "\n\n", "", "a\r\nb\rc\n", "🧑‍🧑‍🧒‍🧒 \u{202E}\n",
        ])
    func bodies(text: String) {
        let message = message(text: text)
        for line in lines(message) {
            #expect(line.utf8.count <= 78 && line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        }
        for line in lines(message) { #expect(!line.hasPrefix(".") && !line.hasPrefix("From ") && !line.hasSuffix(" ")) }
    }

    @Test("One click is offered only at an https address, as RFC 8058 demands")
    func unsubscribing() {
        #expect(
            head(message(unsubscribe: "https://k/u/a")).contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"))
        let plain = head(message(unsubscribe: "http://127.0.0.1:8480/unsubscribe/a"))
        #expect(plain.contains("List-Unsubscribe: <http://127.0.0.1:8480/unsubscribe/a>"))
        #expect(!plain.contains { $0.hasPrefix("List-Unsubscribe-Post") })
        #expect(!head(message()).contains { $0.hasPrefix("List-Unsubscribe") })
    }

    @Test(
        "A sender’s name is written as a phrase that cannot end its header field",
        arguments: [
            ("kith@k.example", "kith@k.example"), ("Kith <kith@k.example>", "Kith <kith@k.example>"),
            ("\"Kith, Inc.\" <kith@k.example>", "\"Kith, Inc.\" <kith@k.example>"),
            ("Käthe <kith@k.example>", "=?utf-8?B?S8OkdGhl?= <kith@k.example>"),
            ("Kith\r\nBcc: eve@x.example <kith@k.example>", "\"Kith Bcc: eve@x.example\" <kith@k.example>"),
        ])
    func senders(written: String, header: String) throws {
        let composer = EmailComposer(from: try #require(MailAddress(written)))
        let text = String(decoding: composer.compose(message()), as: UTF8.self)
        #expect(text.contains("\r\nFrom: \(header)\r\nTo: "))
    }

    @Test(
        "Without a sender in the settings, emails have the name of the service, which may have any characters",
        arguments: [
            ("Kith", "Kith"), ("Bread & Co <b>", "\"Bread & Co <b>\""),
            ("Über & Co <b>", "=?utf-8?B?w5xiZXIgJiBDbyA8Yj4=?="),
        ])
    func serviceName(name: String, phrase: String) throws {
        var settings = MessageSettings()
        settings.serviceName = name
        let text = String(decoding: try EmailComposer(settings).compose(message()), as: UTF8.self)
        #expect(text.contains("\r\nFrom: \(phrase) <kith@localhost>\r\nTo: "))
    }

    @Test("Text that is no address is no sender", arguments: ["", "Kith", "Kith <>", "kith@", "käthe@k.example"])
    func noSenders(written: String) { #expect(MailAddress(written) == nil) }

    @Test(
        "Is read back as it was written",
        arguments: [
            ("Hello", "Hello\n"), ("Ben lädt dich zu „Straßenfest“ ein, und =?utf-8?B?eA==?= auch", "a = b\n\n.\n"),
            (String(repeating: "日本語", count: 40), "https://kith.example/i/\(String(repeating: "x=3D", count: 60))\n"),
        ])
    func readBack(subject: String, text: String) throws {
        let content = String(decoding: composer.compose(message(subject: subject, text: text)), as: UTF8.self)
        let email = try #require(ReadableEmail(content))
        #expect(email.subject == subject)
        #expect(email.text == text)
        #expect(email.from == "Kith <kith@kith.example>")
        #expect(email.to == "ada@example.com")
        #expect(ReadableEmail(String(content.dropLast(content.count / 2))) != email)
        #expect(ReadableEmail("To: +43664\n\nYour code\n") == nil)
    }

    @Test("Is not read if its text is damaged", arguments: ["=", "=4", "=+1", "=XX", "=FF"])
    func damaged(code: String) {
        let content = String(decoding: composer.compose(message(text: "ü!\n")), as: UTF8.self)
        #expect(ReadableEmail(content.replacing("=C3=BC", with: "=C3=BC=20"))?.text == "ü !\n")
        #expect(ReadableEmail(content.replacing("=C3=BC", with: code)) == nil)
    }
}
