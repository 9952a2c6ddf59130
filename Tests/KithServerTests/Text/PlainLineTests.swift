import KithServer
import Testing

@Suite("Plain lines")
struct PlainLineTests {
    @Test(
        "A text of people becomes one line, with one space between words",
        arguments: [
            ("Ada Lovelace", "Ada Lovelace"), ("", ""), (" ", ""), (" Ada", "Ada"), ("Ada ", "Ada"),
            ("Ada  Lovelace", "Ada Lovelace"), ("Ada\r\nLovelace", "Ada Lovelace"), ("Ada\u{7F}", "Ada"),
            ("Ada\u{0}", "Ada"), ("~!", "~!"), ("\u{202E}adA", "adA"), ("سلمى", "سلمى"), ("Ada\tL", "Ada L"),
        ])
    func oneLine(_ text: String, _ expected: String) { #expect(PlainLine.text(text) == expected) }

    @Test(
        "Mail programs make links of addresses of pages, hosts and mailboxes",
        arguments: [
            "http://192.0.2.1", "Log in at evil.example now", "WWW.EVIL.EXAMPLE", "ada@host", "почта.рф",
            "evil.\u{202E}example", "http:\u{1}//192.0.2.1",
        ])
    func links(text: String) { #expect(PlainLine.hasLink(text)) }

    @Test("Other names are no links", arguments: ["Ada’s phone", "Pixel 9.1", "Dr. Ada", "Ben…", "A/B", ""])
    func names(text: String) { #expect(!PlainLine.hasLink(text)) }
}
