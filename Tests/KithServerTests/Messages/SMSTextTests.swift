import KithModel
import KithServer
import Testing

@Suite("The text of an SMS") struct SMSTextTests {
    @Test(
        "A text of the GSM alphabet has 160 characters in one part and 153 in each of several",
        arguments: [
            ("a", 160, 1), ("a", 161, 2), ("é", 306, 2), ("a", 307, 3), ("€", 80, 1), ("€", 81, 2), ("€", 153, 3),
        ])
    func alphabet(character: String, count: Int, parts: Int) {
        #expect(SMSText(String(repeating: character, count: count)).parts == parts)
    }

    @Test(
        "Any other text has 70 UTF-16 units in one part and 67 in each of several",
        arguments: [("ó", 70, 1), ("ó", 71, 2), ("ó", 134, 2), ("ó", 135, 3), ("🥛", 35, 1), ("🥛", 36, 2), ("🥛", 67, 3)])
    func unicode(character: String, count: Int, parts: Int) {
        #expect(SMSText(String(repeating: character, count: count)).parts == parts)
    }

    @Test("Typographic signs become plain ones only if the text then is of the GSM alphabet") func plain() {
        #expect(SMSText("Ada’s “phone” – Wien…").text == "Ada's \"phone\" - Wien...")
        #expect(SMSText("Ada’s código").text == "Ada’s código")
    }

    @Test(
        "A code has at most two parts in each language, whatever the device is called",
        arguments: ["en", "de", "fr", "es"],
        ["", "Ada’s phone", "iPhone von Österreicherin", "📱 телефон", String(repeating: "ç", count: 100)])
    func code(language: String, device: String) throws {
        let text = try code(language, device, from: "2001:db8::1")
        let start = String(device.prefix(10))
        let isNamed = text.contains(start) || text.contains(SMSText(start).text)
        #expect(device.isEmpty || device.count >= 30 || isNamed, "\(text)")
    }

    @Test(
        "A code names the place even if its address is long; a device in another alphabet is then left out",
        arguments: ["en", "de", "fr", "es"])
    func longPlace(language: String) throws {
        for device in ["Ada’s phone", "📱 телефон"] {
            let text = try code(language, device, from: "2001:db8:85a3:1234:5678:8a2e:1370:7334")
            #expect(text.contains(SMSText(device).text) == (device == "Ada’s phone"), "\(text)")
        }
    }

    @Test(
        "Trap: A long text cuts off the link of an invitation – the text is shortened, and the link stays whole",
        arguments: ["en", "de", "fr", "es"], ["a", "€", "ó", "…", "🥛", "👩‍👩‍👧‍👦", "e\u{301}\u{302}\u{303} "])
    func longText(language: String, character: String) throws {
        let long = String(repeating: character, count: Limits.invitationText / character.count)
        let text = try invitation(language, ["text": long])
        #expect(SMSText(text).parts == MessageLimits.partsOfSMS, "\(text)")
        let shortened = text.dropLast(Self.link.count + 1)
        #expect(text.hasSuffix("\n\(Self.link)") && (shortened.hasSuffix("…") || shortened.hasSuffix("...")), "\(text)")
        #expect(try invitation(language, ["text": "Come!"]) == "Come!\n\(Self.link)")
    }

    @Test("Trap: Long names cost eight parts – an invitation has three parts at most, and its whole link")
    func longNames() throws {
        for name in [String(repeating: "Б", count: 200), String(repeating: "b", count: 200)] {
            let text = try invitation("en", ["inviter": name, "list": name])
            #expect(SMSText(text).parts <= 3 && text.hasPrefix(name.prefix(20)) && text.hasSuffix(Self.link), "\(text)")
        }
    }

    @Test("An address of the server that leaves no room for a text does not cut off the link") func longLink() throws {
        let link = "https://kith.example/" + String(repeating: "a", count: 1_900)
        let text = try invitation("en", ["text": String(repeating: "a", count: 2_000), "link": link])
        #expect(text == "...\n\(link)")
    }

    private static let link = "https://kith.example/v1/invitations/0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

    /// The SMS with an invitation of Ben.
    private func invitation(_ language: String, _ values: [String: String]) throws -> String {
        let message = OutgoingMessage(
            id: .numbered(1), channel: .sms, recipient: "+436641234567", kind: .invitation, languages: [language],
            values: ["inviter": "Ben", "link": Self.link].merging(values) { $1 }, canUnsubscribe: true)
        return try MessageComposer(MessageSettings()).compose(message, unsubscribe: nil).text
    }

    /// The SMS with a code, which has two parts at most, the place and the warning.
    private func code(_ language: String, _ device: String, from place: String) throws -> String {
        let composer = try MessageComposer(MessageSettings())
        let message = OutgoingMessage(
            id: .numbered(1), channel: .sms, recipient: "+436641234567", kind: .code, languages: [language],
            values: ["code": "123456", "device": device, "place": place, "minutes": "10"],
            canUnsubscribe: false)
        let text = try composer.compose(message, unsubscribe: nil).text
        #expect(SMSText(text).parts <= 2, "\(text)")
        #expect(text.hasPrefix("123456 ") && text.contains("Kith") && text.contains(place), "\(text)")
        let warning = [
            "en": "Never enter it", "de": "Gib ihn nirgendwo", "fr": "Ne le saisissez", "es": "No la introduzcas",
        ]
        #expect(text.contains(try #require(warning[language])))
        return text
    }
}
