import Foundation
import KithModel
import Testing

@Suite("An email address") struct EmailAddressTests {
    private func expect(_ written: String, _ text: String?, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(EmailAddress(written)?.text == text, sourceLocation: sourceLocation)
    }

    @Test("Upper and lower case are equal")
    func capitals() {
        expect("Ada.Lovelace@Example.COM", "ada.lovelace@example.com")
        expect("JÖRG@example.com", "jörg@example.com")
        #expect(EmailAddress("ADA@example.com") == EmailAddress("ada@EXAMPLE.com"))
    }

    @Test("An international domain is in A-labels, however it was written")
    func internationalDomains() {
        for domain in [
            "bücher.example", "BÜCHER.example", "bu\u{308}cher.example", "xn--bcher-kva.example",
            "XN--BCHER-KVA.example", "bücher。example", "bü\u{AD}cher.example",
        ] {
            expect("ada@\(domain)", "ada@xn--bcher-kva.example")
        }
        expect("ada@bücher.xn--bcher-kva.日本語.example", "ada@xn--bcher-kva.xn--bcher-kva.xn--wgv71a119e.example")
        expect("ada@ｅｘａｍｐｌｅ.com", "ada@example.com")
    }

    @Test("ß and ς are separate letters, as in IDNA 2008")
    func deviations() {
        expect("ada@straße.example", "ada@xn--strae-oqa.example")
        expect("ada@βόλος.example", "ada@xn--nxasmm1c.example")
        expect("ada@ΒΌΛΟΣ.example", "ada@xn--nxasmq6b.example")
    }

    @Test("A name, brackets, spaces and a final dot are removed")
    func dependencies() {
        expect("Ada <ada@x>", "ada@x")
        expect("\"Lovelace, Ada\" <ada@example.com>", "ada@example.com")
        expect("<ada@example.com>", "ada@example.com")
        expect(" ada@example.com\r\n", "ada@example.com")
        expect("ada@example.com.", "ada@example.com")
        expect("ada@bücher.example.", "ada@xn--bcher-kva.example")
    }

    @Test("A mailto: URI is read")
    func uris() {
        expect("mailto:ada@example.com", "ada@example.com")
        expect("MAILTO:ada%2Blists@example.com?subject=Tea", "ada+lists@example.com")
        expect("Ada <mailto:ada@example.com>", "ada@example.com")
        expect("mailto:ada@b%C3%BCcher.example", "ada@xn--bcher-kva.example")
        expect("mailto:ada@example.com,bo@example.com", nil)
    }

    @Test("Dots and tags are kept, because two people must not become one")
    func localParts() {
        expect("a.d.a+tea@example.com", "a.d.a+tea@example.com")
        expect("ada..l.@docomo.example", "ada..l.@docomo.example")
        expect("!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com")
    }

    @Test(
        "What is no address is none",
        arguments: [
            "", "@", "ada", "ada@", "@example.com", "ada@@example.com", "ada l@example.com", "ada@exa mple.com",
            "ada@example..com", "ada@.com", "ada@-x.com", "ada@x-.com", "ada@x,com", "ada@[192.0.2.1]",
            "\"ada l\"@example.com", "<ada@x.com>, <bo@x.com>", "ada@ü b.example", "ada@ü/b.example", "ada@.",
            "a\u{200B}da@example.com", "ada\u{0}@example.com", "ada@ü%41.example", "Ada <>", "mailto:", "x-ada:ada@",
        ])
    func none(written: String) {
        expect(written, nil)
    }

    @Test("Trap: Escapes hide many combining marks, which take minutes to compose – that is no address")
    func combiningMarks() {
        let marks = String(repeating: "\u{327}\u{301}", count: 50_000)
        expect("mailto:\(marks.percentEncoded)@example.com", nil)
        expect("mailto:ada@\(marks.percentEncoded).example", nil)
        expect("\(marks)@example.com", nil)
    }

    @Test("Trap: A long text of letters and their accents takes minutes to compose, too – that is no address")
    func decomposed() {
        let letters = String(repeating: "e\u{323}\u{302}", count: 4_000_000)
        expect("\(letters)@example.com", nil)
        let permitted = String(repeating: "e\u{323}\u{302}", count: 21)
        expect("\(permitted)@example.com", "\(String(repeating: "\u{1EC7}", count: 21))@example.com")
    }

    @Test("The limits of RFC 5321 hold")
    func limits() {
        let local = String(repeating: "a", count: 64)
        let label = String(repeating: "b", count: 63)
        expect("\(local)@\(label).com", "\(local)@\(label).com")
        expect("a\(local)@\(label).com", nil)
        expect("\(local)@b\(label).com", nil)
        let domain = "\(label).\(label).\(String(repeating: "b", count: 61))"
        expect("\(local)@\(domain)", "\(local)@\(domain)")
        expect("\(local)@\(domain)b", nil)
    }

    @Test("Its form is canonical: parsing or decoding it again gives the same address")
    func again() throws {
        for written in ["Ada@BÜCHER.example.", "jörg@straße.example", "Ada <a+b@x>"] {
            let address = try #require(EmailAddress(written))
            #expect(EmailAddress(address.text) == address)
            #expect(try JSONDecoder().decode([EmailAddress].self, from: JSONEncoder().encode([address])) == [address])
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([EmailAddress].self, from: Data(#"["x"]"#.utf8))
        }
    }
}
