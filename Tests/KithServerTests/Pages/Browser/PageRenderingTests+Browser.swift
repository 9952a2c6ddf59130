import Foundation
import KithModel
import KithServer

extension PageRenderingTests {
    /// The pages for signing in and for an account, with `text` in each place for text from people.
    static func browserPages(_ text: String) -> [Page] { account(text) + signIn(text) }

    /// The pages of an account, with everything that they can show.
    private static func account(_ text: String) -> [Page] {
        let session = SessionDescription(
            account: AccountID(UUID()), kind: "identified", created: Timestamp(milliseconds: 0))
        let page = AccountPage(for: BrowserSession(session, token: "token"), languages: ["en"])
        let full = AccountOverview.full(text)
        let removals = full.passkeys.compactMap { page.askToRemove(.passkey($0.id), of: full) }
        return removals + [
            page.askToCloseOthers(),
            page.page(full, notice: .closed), page.page(AccountOverview(), notice: .notUsed),
            page.page(AccountOverview(), problem: .phrase("account.lastWay")),
            page.deletion(
                sharedLists: [text], after: DeletionForm(FormFields([("lists", "editor")])), mistake: .wrongWord),
            page.deletion(
                sharedLists: [text, text], after: DeletionForm(FormFields([("word", text)])), mistake: .undecided),
            page.deletion(sharedLists: []),
        ]
    }

    /// The pages on which people sign in.
    private static func signIn(_ text: String) -> [Page] {
        let file = Data(#"{"name":"friends","title":{"en":"Tea"},"text":{"en":"Tea"}}"#.utf8)
        var programme = try! ProgrammeFile.read(file)  // The file is valid.
        programme.title = ["en": text]
        let shared = SharedCode(try! ShareCode("ADA-TEA"), of: programme, by: text)  // The code is valid.
        let visitor = BrowserVisitor(
            address: IPAddress("203.0.113.7")!, languages: ["en"], language: .english,
            name: BrowserName(userAgent: text))
        let session = SessionDescription(
            account: AccountID(UUID()), kind: "identified", created: Timestamp(milliseconds: 0))
        func page(_ ways: SignInWays, _ shared: SharedCode?) -> SignInPage {
            SignInPage(ways, shared, for: visitor, opened: Timestamp(milliseconds: 0), limits: CodeLimits())
        }
        let all = SignInWays(email: true, phone: true, passkeyDomain: "kith.example")
        return [
            page(all, shared).page(ticket, typed: text, notice: .deleted, error: .phrase("signin.invalid")),
            page(SignInWays(email: true, phone: false, passkeyDomain: nil), nil)
                .page(ticket, problem: .phrase("signin.over")),
            page(all, nil).page(ticket, isUnknown: true),
            page(SignInWays(email: false, phone: true, passkeyDomain: nil), nil).page(ticket),
            page(SignInWays(email: false, phone: false, passkeyDomain: nil), nil).page(ticket),
            page(SignInWays(email: false, phone: false, passkeyDomain: "kith.example"), nil).page(ticket),
            page(all, shared).codePage(text, isNumber: false, ticket, next: ticket, error: .phrase("code.wrong")),
            page(all, shared).codePage(text, isNumber: true, ticket, next: ticket),
            page(all, shared).usePage(for: BrowserSession(session, token: "token")),
        ]
    }
}
