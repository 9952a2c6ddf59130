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
}
