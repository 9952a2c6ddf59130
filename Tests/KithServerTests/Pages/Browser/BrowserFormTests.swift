import KithModel
import KithServer
import Testing

@Suite("The forms of an account in a browser") struct BrowserFormTests {
    private func form(_ fields: [String: String]) -> FormFields {
        FormFields(fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }

    private let ticket = PageTicket().text

    // MARK: Signing in

    @Test(
        "An email or a number with its country code is read as people write it",
        arguments: [
            (" Ada@Example.com", "mailto:ada@example.com"), ("+43 664 1234567", "tel:+436641234567"),
            ("0043 (664) 123-4567", "tel:+436641234567"), ("0664 1234567", nil), ("ada", nil), ("", nil),
            ("+43 six", nil),
        ])
    func identities(typed: String, identity: String?) throws {
        let form = try #require(BrowserSignInForm(form(["email": typed, "ticket": ticket])))
        #expect(form.identity?.text == identity && form.code == nil && form.share == nil)
    }

    @Test("A form needs a field and a ticket; a code of digits and a share code may be in it")
    func signIn() throws {
        #expect(BrowserSignInForm(form(["email": "ada@example.com"])) == nil)
        #expect(BrowserSignInForm(form(["ticket": ticket])) == nil)
        #expect(BrowserSignInForm(form(["email": "ada@example.com", "ticket": "x"])) == nil)
        #expect(BrowserSignInForm(form(["email": String(repeating: "a", count: 501), "ticket": ticket])) == nil)
        let read = try #require(
            BrowserSignInForm(
                form(["email": "ada@example.com", "ticket": ticket, "code": "123 456", "share": "ada-tea"])))
        #expect(read.code == "123456" && read.share?.code.text == "ADA-TEA")
        let wrong = BrowserSignInForm(form(["email": "a", "ticket": ticket, "share": "?", "c": "email"]))
        #expect(try #require(wrong).share == nil)
    }

    @Test("A share code comes with the channel of its link, if that is the name of one")
    func channels() throws {
        func share(_ channel: String) throws -> ShareLink {
            let fields = ["email": "ada@example.com", "ticket": ticket, "share": "ADA-TEA", "c": channel]
            let read = try #require(BrowserSignInForm(form(fields)))
            return try #require(read.share)
        }
        #expect(try share("email").channel == .email)
        #expect(try share("our-app").channel?.rawValue == "our-app")
        #expect(try share("").channel == nil)
        #expect(try share("../etc").channel == nil)
        let link = ShareLink(try ShareCode("ADA-TEA"), channel: .email)
        #expect(AccountForm(form(["do": "useCode", "share": "ADA-TEA", "c": "email"])) == .useCode(link))
    }

    @Test("A share code was used when the page was opened: not later than now, and at most a day ago")
    func opened() throws {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        func opened(_ text: String?) throws -> Timestamp {
            var fields = ["email": "ada@example.com", "ticket": ticket]
            fields["opened"] = text
            return try #require(BrowserSignInForm(form(fields))).opened(at: now)
        }
        #expect(try opened(String((now - .seconds(60)).milliseconds)) == now - .seconds(60))
        #expect(try opened(String((now + .seconds(60)).milliseconds)) == now)
        #expect(try opened("0") == now - .days(1))
        #expect(try opened(nil) == now && opened("soon") == now)
    }

    @Test("The form of a passkey needs the ceremony and what was signed")
    func passkey() {
        let response = #"{"clientDataJSON":"AQ","authenticatorData":"AQ","signature":"AQ"}"#
        let assertion = #"{"id":"AQ","type":"public-key","response":\#(response)}"#
        let id = "018f3e5a-3b2c-7d3e-8f40-5a6b7c8d9e0f"
        #expect(PasskeySignInForm(form(["ceremony": id, "assertion": assertion]))?.ceremony == CeremonyID(id))
        #expect(PasskeySignInForm(form(["ceremony": "x", "assertion": assertion])) == nil)
        #expect(PasskeySignInForm(form(["ceremony": id, "assertion": "{}"])) == nil)
        #expect(PasskeySignInForm(form(["ceremony": id])) == nil)
    }

    // MARK: The account

    @Test("A form of the account does one thing, and names what it does it to")
    func actions() throws {
        let id = "018f3e5a-3b2c-7d3e-8f40-5a6b7c8d9e0f"
        let session = try #require(SessionID(id))
        let passkey = try #require(PasskeyID(id))
        #expect(AccountForm(form(["do": "signOut"])) == .signOut)
        #expect(AccountForm(form(["do": "closeOthers"])) == .closeOthers(isSure: false))
        #expect(AccountForm(form(["do": "closeOthers", "sure": "yes"])) == .closeOthers(isSure: true))
        #expect(AccountForm(form(["do": "closeSession", "session": id])) == .closeSession(session))
        let way = ["do": "removeWay", "way": "passkey:\(id)"]
        #expect(AccountForm(form(way)) == .removeWay(.passkey(passkey), isSure: false))
        #expect(AccountForm(form(way.merging(["sure": "yes"]) { $1 })) == .removeWay(.passkey(passkey), isSure: true))
        #expect(AccountForm(form(["do": "removeWay", "way": "mailto:ada@example.com"]))?.action == .removeWay)
        #expect(AccountForm(form(["do": "useCode", "share": "ADA-TEA"]))?.action == .useCode)
    }

    @Test(
        "A form without what it needs is refused",
        arguments: [
            [:], ["do": "fly"], ["do": "closeSession"], ["do": "closeSession", "session": "1"], ["do": "removeWay"],
            ["do": "removeWay", "way": "passkey:1"], ["do": "removeWay", "way": "key:1"], ["do": "useCode"],
            ["do": "useCode", "share": "??"], ["do": "delete"], ["do": "export"],
        ])
    func incomplete(fields: [String: String]) { #expect(AccountForm(form(fields)) == nil) }

    @Test("Each way to sign in is read back as it is written")
    func ways() throws {
        let id = "018f3e5a-3b2c-7d3e-8f40-5a6b7c8d9e0f"
        for text in ["mailto:ada@example.com", "tel:+436641234567", "issuer:\(id)", "passkey:\(id)"] {
            #expect(AccountForm.Way(text)?.text == text)
        }
        for text in ["", "mailto:", "tel:0664", "issuer:", "passkey", "passkey:x"] {
            #expect(AccountForm.Way(text) == nil, "\(text)")
        }
    }

    @Test(
        "The account is deleted only with the word of the page, in any of its languages",
        arguments: [
            ("delete", true), (" Delete ", true), ("löschen", true), ("supprimer", true), ("eliminar", true),
            ("deleted", false), ("", false),
        ])
    func confirmation(word: String, isConfirmed: Bool) {
        #expect(DeletionForm(form(["word": word])).isConfirmed == isConfirmed)
    }
}
