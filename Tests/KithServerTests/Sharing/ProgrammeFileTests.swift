import Foundation
import KithModel
import KithServer
import Testing

@Suite("The file of a programme") struct ProgrammeFileTests {
    /// The smallest programme, with more keys before its end.
    private func smallest(_ more: String = "") -> String {
        #"{"name": "tea", "title": {"en": "Tea"}, "text": {"en": "Join us."}\#(more)}"#
    }

    private func read(_ text: String) throws -> Programme { try ProgrammeFile.read(Data(text.utf8)) }

    @Test("The example of the documentation has every part") func example() throws {
        var root = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let programme = try ProgrammeFile.read(Data(contentsOf: root.appending(path: "Samples/friends.json")))
        #expect(programme.name == "friends" && programme.title.keys.sorted() == ["de", "en"])
        #expect(programme.url == URL(string: "https://tea.example.com/welcome"))
        #expect(Set(programme.shares.keys) == [.link, .email])
        #expect(programme.shares[.email]?.subject?["de"] == "{{name}} teilt eine Woche Tee mit dir")
        #expect(programme.shares[.link]?.subject == nil)
        #expect(programme.zones.map(\.audience) == [[.anonymous], [.identified]])
        #expect(programme.zones.first?.content == #"{"colour":"green","text":"Sign in to collect your tea"}"#)
        #expect(programme.codes == ShareCodeRules(lengths: 4...20, reserved: ["kith", "admin", "support"]))
        #expect(programme.advocateReward?.name == "tea-week" && programme.friendReward?.event == "joined")
        #expect(programme.guards.disposableDomains == ["mailinator.com", "guerrillamail.com"])
        #expect(programme.guards.rewards == 50 && programme.guards.soonest == .seconds(10))
        let page = try String(contentsOf: root.appending(path: "Documentation/Sharing.md"), encoding: .utf8)
        let sample = try String(contentsOf: root.appending(path: "Samples/friends.json"), encoding: .utf8)
        #expect(page.contains("```json\n\(sample)```"))
    }

    @Test("Everything but the name, the title and the text has a default") func defaults() throws {
        let programme = try read(smallest())
        #expect(programme.attribution == Attribution() && programme.guards == ReferralGuards())
        #expect(programme.codes == ShareCodeRules() && programme.zones.isEmpty && programme.shares.isEmpty)
        #expect(programme.advocateReward == nil && programme.friendReward == nil && programme.url == nil)
        #expect(programme.sharesADay == 50 && !programme.isPaused)
        let guards = programme.guards
        #expect(guards.referralsADay == 20 && guards.advocatesOfRecipient == 5 && guards.joinsInBulk == 100)
        #expect(guards.notedShares == .hold)
    }

    @Test("Rules are read with their units; null switches a limit off") func rules() throws {
        let programme = try read(
            smallest(
                """
                , "attribution": {"rule": "first", "window-days": 7}, "shares-a-day": 0,
                "guards": {"duplicate": false, "referrals-a-day": null, "soonest-seconds": null, "holding-days": 3,
                           "advocates-of-recipient": null, "joins-in-ten-minutes": 7, "review-days": 5, "rewards": 2, "noted-shares": "ignore", "disposable-domains": ["Mail.Example.COM"]}
                """))
        #expect(programme.attribution == Attribution(.first, window: .days(7)))
        #expect(programme.sharesADay == 0)
        let guards = programme.guards
        #expect(guards.referralsADay == nil && guards.soonest == nil && guards.rewards == 2)
        #expect(guards.advocatesOfRecipient == nil && guards.joinsInBulk == 7)
        #expect(guards.notedShares == .ignore)
        #expect(guards.holding == .days(3) && guards.review == .days(5))
        #expect(!guards.duplicate && guards.selfReferral && guards.disposable && guards.sameNetwork)
        #expect(guards.disposableDomains == ["mail.example.com"])
    }

    @Test("An address is https, or http on this machine") func addresses() throws {
        #expect(try read(smallest(#", "url": "http://127.0.0.1:8080/in?a=b""#)).url?.port == 8080)
        for wrong in ["http://example.com", "https://", "https://a@example.com", "https://example.com/#x", "tea:/in"] {
            #expect(throws: ServerError.self, "\(wrong)") { try read(smallest(#", "url": "\#(wrong)""#)) }
        }
    }

    @Test(
        "The fault of an address says what is wrong with it",
        arguments: [
            ("http://example.com/in", "http:// on this machine"), ("tea.example.com", "begins with https://"),
            ("https://ada:secret@example.com/in", "a user before the “@”"), ("https://example.com/in#x", "after “#”"),
        ])
    func addressFaults(address: String, words: String) {
        let error = #expect(throws: ServerError.self) { try read(smallest(#", "url": "\#(address)""#)) }
        #expect(error?.path == "$.url" && error?.sentence.contains(words) == true, "\(String(describing: error))")
    }

    @Test(
        "An address with a parameter that the server adds is refused, because it would have it twice",
        arguments: ["code=old", "x=1&code", "c=email", "a=b&%63ode=old"])
    func addedParameters(query: String) throws {
        let address = "https://tea.example/in?\(query)"
        let error = #expect(throws: ServerError.self) { try read(smallest(#", "url": "\#(address)""#)) }
        #expect(error?.code == .malformed && error?.path == "$.url")
        #expect(error?.sentence.contains("The server adds it to each link") == true)
        let others = "https://tea.example/in?codes=a&C=b&x=code"
        #expect(try read(smallest(#", "url": "\#(others)""#)).url?.absoluteString == others)
    }

    @Test("A link shows the page, or leads to the operator’s own page, for which there has to be an address")
    func landing() throws {
        #expect(try read(smallest()).landing == .page)
        #expect(try read(smallest(#", "landing": "page""#)).landing == .page)
        let file = smallest(#", "landing": "redirect", "url": "https://tea.example/in""#)
        #expect(try read(file).landing == .redirect)
        for wrong in [#", "landing": "redirect""#, #", "landing": "https://tea.example""#, #", "landing": true"#] {
            let fault = #expect(throws: ServerError.self, "\(wrong)") { try read(smallest(wrong)) }
            #expect(fault?.path == "$.landing")
        }
    }

    @Test(
        "A fault is named with the path of its value",
        arguments: [
            ("", "$", "The file is empty"), ("[]", "$", "The file has to be an object"),
            (#"{"name": "tea", "title": {"en": "Tea"}"#, "$.title", "not well-formed"),
            (#"{"name": "tea", "name": "tea"}"#, "$.name", "there twice"),
            (#"{"name": "tea", "title": {"en": "Tea"}}"#, "$.text", "“text” is missing"),
            (#"{"name": "Tea!", "title": {"en": "Tea"}, "text": {"en": "a"}}"#, "$.name", "a-z, 0-9 and hyphens"),
            (#"{"name": "tea", "title": "Tea", "text": {"en": "a"}}"#, "$.title", "has to be an object"),
            (#"{"name": "tea", "title": {}, "text": {"en": "a"}}"#, "$.title", "has no text"),
            (#"{"name": "tea", "title": {"en": " "}, "text": {"en": "a"}}"#, "$.title.en", "is empty"),
            (#"{"name": "tea", "title": {"en": "a\nb"}, "text": {"en": "a"}}"#, "$.title.en", "one line"),
            (#"{"name": "tea", "title": {"a!": "a"}, "text": {"en": "a"}}"#, #"$.title["a!"]"#, "a language tag"),
            (#"{"name": "tea", "title": {"en": "{{name}}"}, "text": {"en": "a"}}"#, "$.title.en", "Only the texts of"),
            (#"{"name": "tea", "title": {"en": "a"}, "text": {"en": "{{name"}}"#, "$.text.en", "has “{{”. Only the"),
        ])
    func faults(file: String, path: String, words: String) throws {
        let error = #expect(throws: ServerError.self) { try read(file) }
        #expect(error?.code == .malformed && error?.path == path, "\(String(describing: error))")
        #expect(error?.sentence.contains(words) == true, "\(String(describing: error))")
    }

    @Test(
        "A fault in an optional part is named with the path of its value",
        arguments: [
            (#""guard": {}"#, "$.guard", "is not a key here. The keys are name, title"),
            (#""guards": {"self-referal": true}"#, #"$.guards["self-referal"]"#, "is not a key here"),
            (#""guards": {"duplicate": 1}"#, "$.guards.duplicate", "true or false"),
            (#""guards": {"rewards": 0}"#, "$.guards.rewards", "from 1 to 1000000, or null"),
            (#""guards": {"holding-days": 1.5}"#, #"$.guards["holding-days"]"#, "a whole number from 0 to 366"),
            (
                #""guards": {"disposable-domains": ["a@b.example"]}"#, #"$.guards["disposable-domains"][0]"#,
                "An entry of “disposable-domains” has to be a domain"
            ),
            (#""attribution": {"rule": "last"}"#, "$.attribution.rule", "one of newest, first"),
            (#""attribution": {"window-days": 0}"#, #"$.attribution["window-days"]"#, "from 1 to 366"),
            (#""shares": {"E-Mail": {}}"#, #"$.shares["E-Mail"]"#, "the name of a channel"),
            (#""shares": {"email": {"subject": {"en": "a"}}}"#, "$.shares.email.text", "is missing"),
            (
                #""shares": {"link": {"text": {"de": "{{url}}"}}}"#, "$.shares.link.text.de",
                "{{url}}. The placeholders are {{link}}"
            ),
            (#""shares": {"link": {"text": {"en": "Hi {{link"}}}"#, "$.shares.link.text.en", "has “{{” without its"),
            (#""shares": {"link": {"text": {"en": "Hi {link}}"}}}"#, "$.shares.link.text.en", "has “}}” without its"),
            (
                #""shares": {"email": {"text": {"en": "a"}, "subject": {"en": "{{name}} {{code }"}}}"#,
                "$.shares.email.subject.en", "has “{{” without its"
            ),
            (#""zones": [{"name": "a", "content": "b"}]"#, "$.zones[0].content", "has to be an object"),
            (#""zones": [{"name": "a", "content": {}, "audience": []}]"#, "$.zones[0].audience", "names nobody"),
            (
                #""zones": [{"name": "a", "content": {}}, {"name": "a", "content": {}, "audience": ["anonymous"]}]"#,
                "$.zones[1]", "of another zone"
            ),
            (#""codes": {"shortest": 21}"#, "$.codes", "more than the “longest” of 20"),
            (#""codes": {"longest": 33}"#, "$.codes.longest", "from 3 to 32"),
            (#""codes": {"reserved": ["ab"]}"#, "$.codes.reserved[0]", "An entry of “reserved” has to be a word"),
            (#""rewards": {"advocate": {"title": {"en": "a"}}}"#, "$.rewards.advocate.name", "is missing"),
            (#""rewards": {"friend": {"name": "a b", "title": {"en": "a"}}}"#, "$.rewards.friend.name", "1 to 64"),
            (#""shares-a-day": 101"#, #"$["shares-a-day"]"#, "from 0 to 100"),
        ])
    func faultsOfParts(part: String, path: String, words: String) throws {
        let error = #expect(throws: ServerError.self) { try read(smallest(", " + part)) }
        #expect(error?.code == .malformed && error?.path == path, "\(String(describing: error))")
        #expect(error?.sentence.contains(words) == true, "\(String(describing: error))")
    }

    @Test("A file of more than 512 KiB is not read") func size() throws {
        let large = smallest(#", "zones": []\#(String(repeating: " ", count: ProgrammeFile.size))"#)
        let error = #expect(throws: ServerError.self) { try read(large) }
        #expect(error?.sentence == "The file has more than 512 KiB.")
    }
}
