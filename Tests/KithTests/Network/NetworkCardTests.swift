import Foundation
import Kith
import KithCards
import KithModel
import Testing

@Suite("A person of the network as a vCard") struct NetworkCardTests {
    private let id = AccountID(UUID(uuidString: "018f3e5a-1b2c-7d3e-8f40-5a6b7c8d9e0f")!)

    private func card(_ summary: Fields, _ details: Profile? = nil) -> String {
        NetworkCard(NetworkContact(id: id, summary, modified: Timestamp(milliseconds: 0)), details).text
    }

    @Test("Contains everything that the person shows, in lines of RFC 6350") func lines() {
        var details = Profile()
        details.phones = [.init("+43 664 1234567", type: "mobile"), .init("+43 1 2345", label: "in the, studio")]
        details.emails = [.init("ada@example.com", label: "work")]
        details.sites = [.init("https://example.com/a,b;c")]
        details.addresses = [.init("“Haus”, Gasse 1\nA-1010 \"Wien\" ^")]
        (details.language, details.timeZone) = ("de-AT", "Europe/Vienna")
        let text = card(
            [
                "given": "Ada; Augusta", "family": "Lovelace", "title": "Dr.", "nick": "Ada", "jobTitle": "Countess",
                "company": "Engines, Ltd.", "status": "Line 1\nLine 2",
            ], details)
        #expect(
            text.split(separator: "\r\n") == [
                "BEGIN:VCARD", "VERSION:4.0", "UID:urn:uuid:018f3e5a-1b2c-7d3e-8f40-5a6b7c8d9e0f",
                #"FN:Ada\; Augusta Lovelace"#, #"N:Lovelace;Ada\; Augusta;;Dr.;"#, "NICKNAME:Ada", "TITLE:Countess",
                #"ORG:Engines\, Ltd."#, #"NOTE:Line 1\nLine 2"#, "TEL;TYPE=mobile:+43 664 1234567", "TEL:+43 1 2345",
                "EMAIL;TYPE=work:ada@example.com", "URL:https://example.com/a,b;c",
                #"ADR;LABEL="“Haus”, Gasse 1^nA-1010 ^'Wien^' ^^":;;;;;;"#, "LANG:de-AT", "TZ:Europe/Vienna",
                "END:VCARD",
            ])
    }

    @Test("A reader of vCards finds the same values, even with hostile ones") func read() throws {
        let hostile = "a\r\nEND:VCARD\r\nBEGIN:VCARD\u{0}\\n;,\"^:" + String(repeating: "é", count: 100)
        var details = Profile()
        details.phones = [.init(hostile, label: hostile, type: "x:y")]
        details.emails = [.init(hostile, type: ";VALUE=uri")]
        details.sites = [.init("https://example.com/\r\nEND:VCARD")]
        details.addresses = [.init(hostile)]
        let fields: [String] = ["given", "family", "nick", "title", "jobTitle", "company", "status"]
        let text = card(Fields(uniqueKeysWithValues: fields.map { ($0, .text(hostile)) }), details)
        let read = VCardReader.cards(in: text.utf8)
        #expect(read.cards.count == 1 && read.faults.isEmpty)
        let found = Card(try #require(read.cards.first))
        let plain = hostile.replacing("\r\n", with: "\n").replacing("\u{0}", with: "\u{FFFD}")
        #expect(found.nicknames.map(\.name) == [plain])
        #expect(found.phones.map(\.number) == [plain] && found.emails.map(\.address) == [plain])
        #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 75 })
    }

    @Test("Without a name, the card has the account's id as its name") func nameless() {
        #expect(card([:]).contains("FN:018f3e5a-1b2c-7d3e-8f40-5a6b7c8d9e0f\r\n") && !card([:]).contains("\r\nN:"))
    }
}
