import Foundation
import KithModel
import KithServer
import Testing

@Suite("Templates of messages") struct MessageTemplateTests {
    private let folder = Folder()

    private func composer(_ templates: MessageTemplates? = nil, language: String = "en") throws -> MessageComposer {
        MessageComposer(templates: try templates ?? MessageTemplates(), service: "Kith", language: language)
    }

    private static let values = [
        "code": "123456", "device": "DEVICE", "place": "PLACE", "minutes": "10", "inviter": "INVITER", "list": "LIST",
        "text": "TEXT", "link": "https://kith.example/LINK", "person": "PERSON", "left": "LEFT",
        "address": "ADDRESS", "passkey": "PASSKEY", "issuer": "ISSUER",
    ]

    private static func message(
        _ kind: MessageKind, _ channel: OutgoingMessage.Channel = .email, languages: [String] = [],
        values: [String: String] = values
    ) -> OutgoingMessage {
        OutgoingMessage(
            id: .numbered(1), channel: channel, recipient: "ada@example.com", kind: kind, languages: languages,
            values: values, canUnsubscribe: kind.canUnsubscribe)
    }

    @Test("Each kind of message has English, French, German and Spanish, and shows all its values in each")
    func complete() throws {
        let templates = try MessageTemplates()
        for kind in MessageKind.allCases {
            #expect(templates.languages(of: kind) == ["de", "en", "es", "fr"])
            for language in templates.languages(of: kind) {
                let message = Self.message(kind, languages: [language])
                let composed = try composer().compose(
                    message, unsubscribe: kind.canUnsubscribe ? "https://k/UNSUBSCRIBE" : nil)
                #expect(composed.language == language && !composed.subject.isEmpty)
                var shown = kind.values.compactMap { Self.values[$0] }
                if kind.canUnsubscribe { shown.append("https://k/UNSUBSCRIBE") }
                for value in shown {
                    #expect(
                        composed.text.contains(value) && composed.html.contains(value), "\(kind) \(language) \(value)")
                }
                #expect(
                    composed.text.contains("Kith") && !composed.text.contains("{{") && !composed.html.contains("{{"))
                let sms = try composer().compose(Self.message(kind, .sms, languages: [language]), unsubscribe: nil)
                #expect(!sms.text.isEmpty && sms.html.isEmpty && sms.subject.isEmpty)
                // Whoever has not requested the code recognises that by the device and the place.
                if kind == .code { #expect(sms.text.contains("DEVICE") && sms.text.contains("PLACE"), "\(language)") }
            }
        }
    }

    @Test("Values that are missing leave no gap behind")
    func missing() throws {
        let code = try composer().compose(
            Self.message(.code, values: ["code": "123456", "minutes": "10"]), unsubscribe: nil)
        #expect(
            code.text == """
                Your code for Kith is

                    123456

                It works once, for 10 minutes, and only on the device that requested it.

                Never enter this code anywhere else, and do not tell anybody the code. Nobody from Kith will ask you for it.

                If you did not request it, ignore this message. Nobody can sign in without the code.

                """)
        let invitation = Self.message(.invitation, values: ["inviter": "Ben", "link": "https://k/i"])
        let composed = try composer().compose(invitation, unsubscribe: nil)
        #expect(composed.subject == "Ben invites you to Kith")
        #expect(
            composed.text == """
                Ben invites you to Kith.

                See the invitation here:

                https://k/i

                If you do not know Ben, ignore this message.

                """)
    }

    @Test("The message about a new way in shows only what was added") func wayIn() throws {
        let composed = try composer().compose(
            Self.message(.wayIn, values: ["address": "eve@example.com", "place": "203.0.113.7"]), unsubscribe: nil)
        #expect(composed.subject == "A way to sign in was added to your account on Kith")
        #expect(
            composed.text == """
                A way to sign in was added to your account on Kith, from 203.0.113.7:

                    eve@example.com

                Whoever has it can see and change everything in the account.

                If this was not you, remove it in the app, and sign out the devices that you do not know.

                """)
        #expect(composed.html.contains("<ul>\n<li>eve@example.com</li>\n</ul>"))
    }

    @Test("A code’s message says never to enter it elsewhere", arguments: ["en", "de", "fr", "es"])
    func warning(language: String) throws {
        let warnings = [
            "en": "Never enter", "de": "nirgendwo anders", "fr": "jamais ce code", "es": "ningún otro sitio",
        ]
        let warning = try #require(warnings[language])
        let composed = try composer().compose(Self.message(.code, languages: [language]), unsubscribe: nil)
        #expect(composed.text.contains(warning) && composed.html.contains(warning))
    }

    @Test(
        "The language is the first wanted one that there is: a region’s falls back to its language, all to the operator’s",
        arguments: [
            (["de-AT"], "en", "de"), (["it", "fr-CA"], "en", "fr"), (["pt-BR"], "es", "es"), ([], "de-CH", "de"),
            (["it"], "ru", "en"), (["DE"], "en", "de"), (["es_MX"], "en", "es"), (["", "../../etc"], "en", "en"),
        ])
    func languages(wanted: [String], operators: String, expected: String) throws {
        let composed = try composer(language: operators).compose(
            Self.message(.code, languages: wanted), unsubscribe: nil)
        #expect(composed.language == expected)
    }

    @Test("What people write is text in HTML, not markup")
    func escaped() throws {
        let values = [
            "inviter": "<b>Ben</b> & \"Co\"", "list": "'><script>", "link": "https://k/?a=1&b=\"><script>",
            "text": "{{link}} <img src=x onerror=alert(1)>\r\nSecond line\u{202E}",
        ]
        let composed = try composer().compose(Self.message(.invitation, values: values), unsubscribe: nil)
        #expect(!composed.html.contains("<script") && !composed.html.contains("<img") && !composed.html.contains("<b>"))
        #expect(composed.html.contains("&lt;b&gt;Ben&lt;/b&gt; &amp; &quot;Co&quot;"))
        #expect(composed.html.contains("{{link}} &lt;img") && composed.html.contains("&gt;\nSecond line<"))
        #expect(composed.text.contains("<b>Ben</b> & \"Co\" invites"))
        #expect(composed.subject == "<b>Ben</b> & \"Co\" invites you to “'><script>” on Kith")
    }

    @Test("A missing required value, and a value that is too long, are refused")
    func values() throws {
        #expect(throws: ServerError.self) {
            try composer().compose(Self.message(.code, values: ["minutes": "10"]), unsubscribe: nil)
        }
        for link in [
            "javascript:alert(1)", "kith.example", "https://a b", "https://" + String(repeating: "a", count: 2_000),
        ] {
            let message = Self.message(.invitation, values: ["inviter": "Ben", "link": link])
            #expect(throws: ServerError.self, "\(link)") { try composer().compose(message, unsubscribe: nil) }
        }
        let long = ["inviter": String(repeating: "a", count: 201), "link": "https://k"]
        #expect(throws: ServerError.self) {
            try composer().compose(Self.message(.invitation, values: long), unsubscribe: nil)
        }
    }

    @Test("The operator’s templates replace those of the program, and add languages")
    func operators() throws {
        let own = "=== subject\n{{code}}!\n=== text\nT\n=== html\n<p>{{code}}</p>\n=== sms\nS\n"
        for name in ["code.en.message", "code.pt-br.message"] {
            try own.write(to: folder.url.appending(path: name), atomically: true, encoding: .utf8)
        }
        let templates = try MessageTemplates(folder: folder.url)
        #expect(templates.languages(of: .code) == ["de", "en", "es", "fr", "pt-br"])
        #expect(templates.languages(of: .joined) == ["de", "en", "es", "fr"])
        let composed = try composer(templates).compose(Self.message(.code, languages: ["pt-BR"]), unsubscribe: nil)
        #expect(composed.language == "pt-br" && composed.subject == "123456!")
    }

    @Test(
        "A template that cannot be used is refused with what to correct",
        arguments: [
            ("code.en.message", "=== subject\nA\n=== text\n=== html\n", "lacks “=== sms”"),
            ("code.en.message", "=== subject\n=== subject\n", "has the line “=== subject”"),
            ("code.en.message", "=== subjekt\n", "has the line “=== subjekt”"),
            ("code.en.message", "=== subject\n{{cod}}\n=== text\n=== html\n=== sms\n", "uses {{cod}}"),
            ("code.en.message", "=== subject\n=== text\n=== html\n{{{code}}}\n=== sms\n", "{{{"),
            ("code.en.message", "=== subject\n=== text\n=== html\n{{&code}}\n=== sms\n", "uses {{&code}}"),
            ("code.en.message", "=== subject\n=== text\n=== html\n{{% CONTENT_TYPE:TEXT}}\n=== sms\n", "uses {{%"),
            ("code.en.message", "=== subject\n{{#code}}\n=== text\n=== html\n=== sms\n", "is not Mustache"),
            ("hello.en.message", "", "is not the name of a template"), ("code.message", "", "is not the name"),
        ])
    func unusable(name: String, text: String, sentence: String) throws {
        try text.write(to: folder.url.appending(path: name), atomically: true, encoding: .utf8)
        let error = #expect(throws: ServerError.self) { try MessageTemplates(folder: folder.url) }
        #expect(error?.sentence.contains(sentence) == true && error?.sentence.contains(name) == true, "\(error!)")
    }

    @Test("The error about a missing folder of templates names it")
    func noFolder() {
        let error = #expect(throws: ServerError.self) { try MessageTemplates(folder: URL(filePath: "/not/there")) }
        #expect(error?.sentence.contains("/not/there") == true)
    }
}
