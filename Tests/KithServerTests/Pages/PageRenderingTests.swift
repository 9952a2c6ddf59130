import Foundation
import HTTPTypes
import KithModel
import KithServer
import Testing

@Suite("Web pages") struct PageRenderingTests {
    static let renderer = try! PageRenderer(service: "Kith & Co")  // The templates are part of the program.
    static let link = PageLink(.list, token: "abc-DEF_1", origin: "https://kith.example")
    static let ticket = PageTicket(RandomBytes { Array(repeating: 7, count: 32) })

    static func offer(_ name: String = "Groceries", isPublic: Bool = false) -> PageOffer {
        PageOffer(
            LinkPreview(
                list: ListID(UUID()), name: name, role: .editor, isPublic: isPublic, items: 12, members: 3,
                expires: Timestamp(milliseconds: 1_796_468_694_947)))
    }

    /// Invitations to a list, to connect, and to the service: from somebody without a name.
    static func invitations(_ text: String) -> [PageOffer] {
        let expires = Timestamp(milliseconds: 1_796_468_694_947)
        return [
            InvitationPreview(inviter: text, list: text, role: .viewer, connects: true, text: text, expires: expires),
            InvitationPreview(inviter: text, connects: true, text: "\(text)\n\(text)", expires: expires),
            InvitationPreview(inviter: nil, connects: false, expires: expires),
        ].map { PageOffer($0) }
    }

    private static let sampleCode = try! ShareCode("ADA-TEA")  // The code is valid.

    private static func programme(_ text: String) -> Programme {
        let file = Data(#"{"name":"friends","title":{"en":"Tea"},"text":{"en":"Tea"}}"#.utf8)
        var programme = try! ProgrammeFile.read(file)  // The file is valid.
        (programme.title, programme.text) = (["en": text], ["en": text])
        return programme
    }

    /// The page of a share link of somebody with a name, in a programme with texts.
    static func share(
        _ text: String, isPaused: Bool = false, url: String? = nil, appPage: String? = nil, picture: String? = nil
    ) -> Page {
        var programme = Self.programme(text)
        programme.isPaused = isPaused
        programme.url = url.flatMap { URL(string: $0) }
        return SharePage(
            SharedCode(sampleCode, of: programme, by: text, content: text, picture: picture), origin: link.origin,
            appPage: appPage, hasSignIn: url == nil, languages: ["en"]
        ).page
    }

    /// The pages that show a list: for reading, empty, with ticks, and with gifts.
    private static func lists(_ text: String) -> [Page] {
        let shared = SharedCode(sampleCode, of: programme(text), by: text)
        let wishes = LinkedList.sample(text, LinkedList.sampleGifts)
        return [
            PublicListPage.page(.sample(text), link), PublicListPage.page(.sample(text, items: 0, more: true), link),
            PublicListPage.page(.sample(text, .items), link, error: .phrase("public.gone")),
            PublicListPage.page(wishes, link, giver: "mine"), PublicListPage.page(wishes, link, ticket: ticket),
            PublicListPage.page(.sample(text, .hiddenGifts), link, ticket: ticket),
            SharePage(
                shared, origin: link.origin, appPage: nil, hasSignIn: true, languages: ["en"], list: wishes,
                giver: "mine", refusal: .conflict
            ).page,
        ]
    }

    /// Every page, with `text` in each place for text from people.
    static func pages(_ text: String) -> [Page] {
        let invitation = InvitationPage(link, offer(text), appPage: "https://example.com/app", hasForm: true)
        let problem = Problem(
            status: 503, title: "", code: .busy, detail: "", id: "01900000-0000-7000-8000-0000000000f0")
        return [
            invitation.page(ticket), invitation.page(ticket, email: text, error: .phrase("accept.invalid")),
            InvitationPage(link, offer(text, isPublic: true), appPage: nil, hasForm: true).page(ticket),
            InvitationPage(link, offer(text), appPage: nil, hasForm: false).page(ticket),
            CodePage.page(link, email: text, ticket, next: ticket, limits: CodeLimits(), error: .phrase("code.wrong")),
            CodePage.page(
                link, email: text, ticket, next: ticket, limits: CodeLimits(),
                problem: .phrase("code.soon", ["minutes": "1"])),
            JoinedPage.page(offer(text), role: .viewer, email: text, origin: link.origin, appPage: nil),
            UnsubscribePage.question(.invitation), UnsubscribePage.question(.joined),
            UnsubscribePage.done(.invitation), UnsubscribePage.done(.joined), UnsubscribePage.again(.share),
            PairingPage.page(appPage: nil), PairingPage.page(appPage: "https://example.com/app"),
            ProblemPage.page(problem, at: "/v1/links/a"),
            share(text), share(text, isPaused: true, appPage: "https://example.com/app"),
            share(text, url: "https://example.com/join?from=kith"), share(text, picture: "abc-DEF_1"),
        ]
            + invitations(text).flatMap { offer in
                let link = PageLink(.invitation, token: "a", origin: link.origin)
                return [
                    InvitationPage(link, offer, appPage: nil, hasForm: true).page(ticket),
                    JoinedPage.page(offer, role: offer.role, email: text, origin: link.origin, appPage: nil),
                ]
            }
            + operatorPages(text)
            + [
                "unknownLink", "expiredLink", "removed", "own", "full", "nothing", "tooFast", "busy", "noForm",
                "foreign", "noCodes", "failed", "usedLink", "refused", "ownInvitation",
                "unknownCode",
            ].map { ProblemPage.page($0, .notFound, id: text) } + lists(text) + browserPages(text)
    }

    static func html(_ page: Page, _ language: PageLanguage = .english, root: String = "") -> String {
        String(decoding: renderer.render(page, in: language, root: root), as: UTF8.self)
    }

    // MARK: Texts

    @Test("All languages have the same texts, with the same values", arguments: PageLanguage.allCases)
    func languages(language: PageLanguage) throws {
        let (texts, english) = (PageTexts.of(language).sections, PageTexts.of(.english).sections)
        #expect(Set(texts.keys) == Set(english.keys))
        func values(_ text: String) -> [String] { text.matches(of: /\{[a-z]+\}/).map { String($0.output) }.sorted() }
        for (section, wanted) in english {
            let own = texts[section] ?? [:]
            #expect(Set(own.keys) == Set(wanted.keys), "\(section)")
            for (name, text) in own {
                #expect(!text.isEmpty && values(text) == values(wanted[name] ?? ""), "\(section).\(name)")
            }
        }
    }

    @Test("A share and a referral have a name of their own in every language", arguments: PageLanguage.allCases)
    func names(language: PageLanguage) throws {
        let sections = PageTexts.of(language).sections
        let referrals = try #require(sections["referrals"]?["title"])
        let (shares, kind) = (sections["unsubscribe"]?["share"], try #require(sections["kind"]?["share"]))
        #expect(shares != referrals && !referrals.lowercased().hasPrefix(kind.lowercased()))
    }

    @Test("The French page for a passkey calls the device that is signed in the other one") func otherDevice() throws {
        let texts = try #require(PageTexts.of(.french).sections["passkey"])
        for name in ["elsewhere", "adding", "signingIn"] {
            let text = try #require(texts[name]).lowercased()
            #expect(text.contains("l’autre appareil") && !text.contains("cet appareil"), "\(name)")
        }
    }

    @Test("The French pages address people in one way") func formality() {
        for (section, texts) in PageTexts.of(.french).sections {
            for (name, text) in texts {
                let familiar = text.lowercased().firstMatch(of: /\b(?:tu|te|ton|ta|tes|toi)\b|\bt’/)
                #expect(familiar == nil, "\(section).\(name)")
            }
        }
    }

    @Test("Every text that a template names exists, and no page shows the name of a text")
    func keys() throws {
        let sections = PageTexts.of(.english).sections
        for (name, bytes) in PageRenderer.templates {
            for match in String(decoding: bytes, as: UTF8.self).matches(of: /\{\{t\.([a-z]+)\.([a-zA-Z]+)\}\}/) {
                #expect(sections[String(match.output.1)]?[String(match.output.2)] != nil, "\(name): \(match.output.0)")
            }
        }
        let names = sections.flatMap { section in section.value.keys.map { "\(section.key).\($0)" } }
        for page in Self.pages("Milk") {
            let text = Self.html(page)
            for name in names { #expect(!text.contains(name), "\(page.template)") }
            #expect(!text.contains("{") && !text.contains("}"), "\(page.template)")
        }
    }

    @Test("A page is in its language, has one heading of the first level, and every field has a label")
    func structure() {
        for language in PageLanguage.allCases {
            for page in Self.pages("Milk") {
                let text = Self.html(page, language)
                #expect(text.hasPrefix("<!DOCTYPE html>\n<html lang=\"\(language.rawValue)\">"))
                #expect(text.matches(of: /<h1>/).count == 1 && text.matches(of: /<main id="main"/).count == 1)
                let fields = text.matches(of: /<input id="([a-z]+)"/).map { String($0.output.1) }
                for field in fields { #expect(text.contains("<label for=\"\(field)\">"), "\(page.template)") }
                for described in text.matches(of: /aria-(?:describedby|labelledby)="([a-z]+)"/) {
                    #expect(text.contains("id=\"\(described.output.1)\""), "\(page.template)")
                }
            }
        }
    }

    @Test(
        "Trap: a form comes back with an error out of sight – the title says so, and the field with the error has the focus",
        arguments: PageLanguage.allCases)
    func errors(language: PageLanguage) throws {
        let mark = PageTexts.of(language).text("layout.error")
        for page in Self.pages("Milk") {
            let text = Self.html(page, language)
            let isWrong = ["error", "problem", "wordError", "listsError"].contains { page.values[$0] != nil }
            #expect(text.contains("<title>\(mark) ") == isWrong, "\(page.template)")
            guard text.contains("aria-invalid=\"true\"") else { continue }
            let focused = text.matches(of: /<input[^>]* autofocus[^>]*>/).map(\.output)
            #expect(focused.count == 1 && focused.allSatisfy { $0.contains("aria-invalid=") }, "\(page.template)")
        }
    }

    @Test("Every table has a name, and each of its rows a header") func tables() {
        for (name, bytes) in PageRenderer.templates {
            let text = String(decoding: bytes, as: UTF8.self)
            for table in text.components(separatedBy: "<table").dropFirst() {
                let parts = table.components(separatedBy: "</table>")[0].components(separatedBy: "<tbody>")
                #expect(parts[0].contains("<caption>") || parts[0].contains("aria-label="), "\(name)")
                #expect(parts.last?.contains("<th scope=\"row\">") == true, "\(name)")
            }
        }
    }

    @Test("A text of the operator on the page of an account names its language, which may be another one")
    func languageOfParts() throws {
        let page = try #require(Self.pages("Milk").first { $0.template == .account })
        let text = Self.html(page, .french)
        #expect(text.contains("<small><bdi lang=\"en\">Milk</bdi></small>"))
        for language in ["de", "es"] {
            #expect(text.contains("<strong><bdi lang=\"\(language)\">Milk</bdi></strong>"), "\(language)")
        }
        #expect(text.matches(of: #/ · <bdi lang="en">Milk</bdi>/#).count == Reward.Side.allCases.count)
        #expect(text.matches(of: #/<small><bdi lang="en">Milk</bdi> ·/#).count == Referral.State.allCases.count)
    }

    @Test(
        "The templates have no styles of their own, no other websites, no unescaped values, and only scripts in files"
    )
    func templates() {
        let forbidden = [
            "{{{", "{{&", "<script", "<style", "style=", "<img", "<iframe", "javascript:", "http:", "https:",
        ]
        for (name, bytes) in PageRenderer.templates {
            var text = String(decoding: bytes, as: UTF8.self)
            if name == "passkey" { text = text.replacing("<script src=\"passkey.js\" defer></script>", with: "") }
            // The picture of the programme.
            if name == "share" { text = text.replacing("<img class=\"picture\" src=\"{{root}}/s/", with: "") }
            if name == "layout" { text = text.replacing("<script src=\"{{address}}\" defer></script>", with: "") }
            for part in forbidden { #expect(!text.contains(part), "\(name): \(part)") }
            #expect(!text.contains(/\son[a-z]+=/), "\(name)")
        }
        let css = String(decoding: PageFile.style.bytes, as: UTF8.self)
        #expect(!css.contains("url(") && !css.contains("@import"))
    }

    // MARK: Hostile text

    /// The tags of a page, without the values of their attributes.
    private func tags(_ html: String) -> [String] {
        html.matches(of: /<[^>]*>/).map { String($0.output).replacing(/="[^"]*"/, with: "=") }
    }

    @Test(
        "Text from people changes no tag of a page, whatever it contains",
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' autofocus onfocus='alert(1)",
            "&lt;b&gt;",
            "\u{600}<script>alert(1)</script>", "\u{600}\"\u{600}><script>", "<\u{338}script>", "{{service}}",
            "{{{t.offer.heading}}}", "]]><!--", String(repeating: "W", count: 100_000), "\u{202E}evil\u{2066}",
            "\u{0}\u{1B}[31m\r\n\u{2028}", "</title></main>", "🏴‍☠️é\u{301}\u{301}",
        ])
    func hostile(text: String) {
        for (page, plain) in zip(Self.pages(text), Self.pages("Milk")) {
            let shown = Self.html(page)
            #expect(tags(shown) == tags(Self.html(plain)), "\(page.template)")
            let scalars = shown.unicodeScalars
            #expect(!scalars.contains { ("\u{202A}"..."\u{202E}").contains($0) || $0 == "\u{0}" || $0 == "\u{1B}" })
            #expect(!text.contains("{{") || !shown.contains("Kith &amp; Co}}"))
        }
    }

    @Test("A name whose < is part of a longer character is escaped in an email too")
    func email() throws {
        let composer = try MessageComposer(MessageSettings())
        let message = OutgoingMessage.invitation(values: ["inviter": "\u{600}<img src=x>", "list": "\u{600}<b>"])
        let html = try composer.compose(message, unsubscribe: nil).html
        #expect(!html.contains("<img") && !html.contains("<b>") && html.contains("&lt;img src=x&gt;"))
    }

    @Test("The title of a window has the start of a long name, isolated from the words after it")
    func title() throws {
        let text = Self.html(
            InvitationPage(Self.link, Self.offer(String(repeating: "ש", count: 500)), appPage: nil, hasForm: true)
                .page(Self.ticket))
        let title = try #require(text.firstMatch(of: /<title>(.*)<\/title>/)?.output.1)
        #expect(title.hasPrefix("\u{2068}ש") && title.hasSuffix("ש\u{2069} – Invitation · Kith &amp; Co"))
        #expect(title.count < 120)
    }

    @Test("A command on a page is one word for a shell, whatever the email is")
    func command() {
        func shown(_ email: String) -> String {
            Self.html(
                JoinedPage.page(
                    Self.offer("L"), role: .viewer, email: email, origin: "https://k.example", appPage: nil))
        }
        #expect(shown("ada+x@example.com").contains("session register ada+x@example.com"))
        #expect(shown("a$(id)'@example.com").contains("session register &#39;a$(id)&#39;\\&#39;&#39;@example.com&#39;"))
    }

    @Test(
        "Trap: a link ends in an hour – its page names the minute, and says that it is in UTC",
        arguments: PageLanguage.allCases)
    func expiry(language: PageLanguage) {
        for offer in [Self.offer()] + Self.invitations("Milk") {
            let page = InvitationPage(Self.link, offer, appPage: nil, hasForm: true).page(Self.ticket)
            let row = "<dt>\(PageTexts.of(language).text("offer.expires"))</dt><dd>"
            let shown = Self.html(page, language).components(separatedBy: row).last?.prefix { $0 != "<" } ?? ""
            #expect(shown.contains("11:04") && shown.hasSuffix(" UTC"), "\(shown)")
        }
    }

    @Test("The page of a long list shows the first thousand items, and says that there are more")
    func longList() {
        func shown(_ count: Int) -> String { Self.html(PublicListPage.page(.sample("Milk", items: count), Self.link)) }
        let (whole, part) = (shown(1_000), shown(1_001))
        #expect(whole.matches(of: /<li[ >]/).count == 1_000 && !whole.contains("more items"))
        #expect(part.matches(of: /<li[ >]/).count == 1_000 && part.contains("more items"))
    }

    @Test("Every item of a list has a place in its page, which reveals the id of the item only if it can be ticked")
    func places() {
        let item = LinkedList.sampleItem(0).description
        for (ticks, isKnown) in [(LinkedList.Ticks.none, false), (.items, true), (LinkedList.sampleGifts, true)] {
            let text = Self.html(PublicListPage.page(.sample("Milk", ticks), Self.link))
            let ids = text.matches(of: /<li id="(item-[A-Za-z0-9_-]+)"/).map(\.output.1)
            #expect(ids.count == 4 && Set(ids).count == 4)
            #expect(text.contains(item) == isKnown)
        }
    }

    @Test("Trap: a box in front of an item looks as if one could press it – a button that ticks has it inside")
    func boxes() {
        let box = "<span aria-hidden=\"true\" class=\"tick\"></span>"
        for (ticks, inFront, inside) in [
            (LinkedList.Ticks.none, 4, 0), (.items, 0, 4), (LinkedList.sampleGifts, 0, 0), (.hiddenGifts, 4, 0),
        ] {
            let text = Self.html(PublicListPage.page(.sample("Milk", ticks), Self.link))
            #expect(text.components(separatedBy: "\(box)<span class=\"text\">").count - 1 == inFront)
            #expect(text.components(separatedBy: "class=\"quiet small\">\(box)").count - 1 == inside)
        }
    }

    @Test("The page of an account with over a hundred sessions, friends, codes or rewards shows the newest")
    func longAccount() throws {
        let accounts = Self.pages("Milk").filter { $0.template == .account }
        let more = "Only the newest 100 are shown."
        #expect(accounts.map { Self.html($0).components(separatedBy: more).count - 1 } == [4, 0, 0])
    }

    // MARK: Addresses

    @Test("A script is a file of this server, and only the pages that name it load it") func scripts() {
        let script = /<script src="\/kith\/pages\/copy\.js\?v=[A-Za-z0-9_-]{8}" defer><\/script>/
        #expect(Self.html(Self.share("Tea"), root: "/kith").contains(script))
        #expect(!Self.html(Self.share("Tea", isPaused: true), root: "/kith").contains("<script"))
        #expect(!Self.html(ProblemPage.page("nothing", .notFound)).contains("<script"))
        // The pages of somebody who is signed in, and no others.
        let signedIn: [Page.Template] = [
            .account, .question, .deletion, .funnel, .referrals, .decision, .deliveries, .health,
        ]
        for page in Self.pages("Milk") {
            #expect(page.scripts.contains(.back) == signedIn.contains(page.template), "\(page.template)")
        }
    }

    @Test("Every icon that a template shows is in the file of icons") func icons() throws {
        let file = String(decoding: PageFile.icons.bytes, as: UTF8.self)
        let names = Set(file.matches(of: /<symbol id="([a-z-]+)"/).map { String($0.output.1) })
        #expect(names.count > 20)
        for (name, bytes) in PageRenderer.templates {
            for use in String(decoding: bytes, as: UTF8.self).matches(of: /<use href="\{\{icons\}\}#([a-z-]*)"/) {
                #expect(names.contains(String(use.output.1)), "\(name): \(use.output.0)")
            }
        }
    }

    @Test("The stylesheet is below the path of the public address, and a change of it changes the address")
    func stylesheet() throws {
        let text = Self.html(ProblemPage.page("nothing", .notFound), root: "/kith")
        #expect(text.contains(/href="\/kith\/pages\/style\.css\?v=[A-Za-z0-9_-]{8}"/))
    }

    @Test(
        "The link that opens the app is read back as the same link",
        arguments: [
            ("https://kith.example/v1/links/a", "kith://kith.example/v1/links/a"),
            ("http://127.0.0.1:8480/v1/links/a", "kith://127.0.0.1:8480/v1/links/a?scheme=http"),
            ("https://kith.example/s/ADA-TEA?c=email", "kith://kith.example/s/ADA-TEA?c=email"),
            ("http://127.0.0.1:8480/s/ADA-TEA?c=email", "kith://127.0.0.1:8480/s/ADA-TEA?c=email&scheme=http"),
        ])
    func opening(address: String, app: String) { #expect(PageLink.opening(address) == app) }

    /// Every page of the operator, with `text` in each place for text from people.
    static func operatorPages(_ text: String) -> [Page] {
        let frame = OperatorFrame(OperatorName("ada")!, token: "token")  // The name is valid.
        let (ada, ben) = (AccountID(UUID()), AccountID(UUID()))
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let entries = ReferralRow.State.allCases.map { state in
            ReferralEntry(
                id: RecordID(UUID()), programme: text, advocate: ada, friend: ben, event: text, state: state,
                reasons: ReferralReason.allCases, occurred: now, until: now, isByOperator: state == .refused)
        }
        let rows = Funnel.Step.allCases.map { step in
            Funnel.Row(programme: text, day: 20_833, channel: .link, step: step, count: 7)
        }
        let ranking = AdvocateRanking(places: [
            .init(account: ada, name: text, friends: 3, rewards: 2),
            .init(account: ben, name: nil, friends: 1, rewards: 0),
        ])
        let (filter, long) = (
            FunnelFilter(programme: text, channel: .email, days: 20_800...20_833), FunnelFilter(days: 20_000...20_833)
        )
        let empty = FunnelPage(Funnel(rows: []), filter, programmes: [text], ranking: AdvocateRanking(places: []))
        // The form is valid.
        let form = ReferralsForm(FormFields([("action", "refuse-all"), ("programme", text)]))!
        let referrals = ReferralsPage(
            entries, ReferralFilter(programme: text), total: 250, number: 2, programmes: [text],
            names: [ada: text, ben: text])
        return [
            OperatorSignInPage.form(), OperatorSignInPage.withoutOperator,
            OperatorSignInPage.form(name: text, error: .phrase("operator.wrong")),
            FunnelPage(Funnel(rows: rows), long, programmes: [text], ranking: ranking).page(frame),
            empty.page(frame), referrals.page(frame),
            referrals.page(frame, .decided(isRelease: true, 2, unchanged: 1)), referrals.page(frame, .nothing),
            ReferralsPage([], ReferralFilter(.held), total: 0, programmes: [], names: [:]).page(frame, .foreign),
            ReferralsPage.question(form, about: [RecordID(UUID())], of: 3, frame),
            DeliveriesPage(
                [], nil, counts: ["queued": 1], suppressed: 2, webhooks: WebhookTables([], [])
            ).page(frame, .sentAgain(3)),
            ServerHealth(problem: text, now: [.init("running", 1)], sinceStart: [.init("errors", 0)]).page(frame),
            ServerHealth(problem: nil, now: [.init("waiting", 1)], sinceStart: [.init("requests", 5)]).page(frame),
        ]
    }
}
