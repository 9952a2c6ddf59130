import Foundation
import HTTPTypes

/// The dependencies of the operations that answer a browser.
struct WebPages: Sendable {
    let renderer: PageRenderer
    let links: LinkPages
    /// Signs people in on the web.
    let signIn: SignInPages
    /// The pages of accounts.
    let account: AccountPages
    /// The pages of the operator; nil if the server has none.
    let operators: OperatorPages?
    let apps: AppSettings
    private let shared = Memo<SharedPage, Answer>(most: 2_000)
    /// The language of pages if there are no texts in the languages of the browser.
    private let fallback: PageLanguage

    init(
        _ settings: MessageSettings, links: LinkPages, signIn: SignInPages, account: AccountPages,
        operators: OperatorPages?, apps: AppSettings
    ) throws {
        renderer = try PageRenderer(service: settings.serviceName)
        self.links = links
        self.signIn = signIn
        self.account = account
        self.operators = operators
        self.apps = apps
        fallback = PageLanguage.language(of: settings.defaultLanguage) ?? .english
    }

    /// The language for a browser.
    func language(of incoming: Incoming) -> PageLanguage {
        PageLanguage(accepted: incoming.headers[.acceptLanguage], fallback: fallback)
    }

    /// A page as an answer.
    func answer(_ page: Page, to incoming: Incoming, _ origin: Origin) -> Answer {
        render(page, in: language(of: incoming), origin)
    }

    /// The page of a share link as an answer. A page that many people open is rendered and compressed once.
    func answer(_ page: SharePage, to incoming: Incoming, _ origin: Origin) -> Answer {
        let language = language(of: incoming)
        guard page.isForMany else { return render(page.page, in: language, origin) }
        let key = SharedPage(page: page, language: language, root: origin.root, isCompressed: incoming.acceptsGzip)
        return shared.value(for: key) {
            var answer = render(page.page, in: language, origin)
            answer.compress(for: incoming)
            return answer
        }
    }

    /// What the bytes of the page of a share link depend on. With other values it is another page, so that an answer is never
    /// out of date.
    private struct SharedPage: Hashable {
        let page: SharePage
        let language: PageLanguage
        let root: String
        let isCompressed: Bool
    }

    private func render(_ page: Page, in language: PageLanguage, _ origin: Origin) -> Answer {
        var answer = Answer(
            page.status, html: renderer.render(page, in: language, root: origin.root), language: language.rawValue,
            hasScripts: !page.scripts.isEmpty)
        if let wait = page.retryAfter { answer.headers[.retryAfter] = String(wait.wholeSeconds) }
        return answer
    }
}
