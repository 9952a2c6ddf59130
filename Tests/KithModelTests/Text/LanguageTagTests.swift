import KithModel
import Testing

@Suite("Language tags")
struct LanguageTagTests {
    @Test(
        "A tag is a language with at most three subtags (RFC 5646)",
        arguments: [
            ("de", true), ("de-AT", true), ("zh-Hant-TW", true), ("EN-us", true), ("tlh", true), ("de-1996", true),
            ("a-b-c-d-e", false), ("zh-Hant-TW-x-private", false), ("", false), ("d", false), ("deutschland", false),
            ("d1", false), ("de-", false), ("-de", false), ("de--AT", false), ("de-ninechars", false), ("dé", false),
            ("de AT", false), ("*", false), ("de\n", false),
        ])
    func form(_ text: String, _ isTag: Bool) { #expect(LanguageTag.isTag(text) == isTag) }
}
