import Foundation
import HTTPTypes
import KithModel

/// The page on which people sign in to their account in a browser.
enum SignInPageOperations {
    /// Leads whoever types the server's address into a browser to this page.
    static func showStart(_ call: Call) async throws -> Answer { call.redirect(to: SignInPage.path) }

    static func show(_ call: Call, _ browser: BrowserSession?) async throws -> Answer {
        let incoming = call.incoming
        let typed = try incoming.parameter("share") ?? ""
        let share = ShareLink(share: typed, channel: try? incoming.parameter("c"))
        let notice = try call.notice().flatMap { SignInPage.Notice(rawValue: $0) }
        if let browser, browser.isSignedIn, typed.isEmpty { return call.redirect(to: AccountPage.path) }
        return call.answer(
            try await call.api.pages.signIn.open(
                share, namesCode: !typed.isEmpty, notice, in: browser, for: call.visitor, at: call.now))
    }

    /// The form for the email or the number, and the form for the code.
    static func send(_ call: Call) async throws -> Answer {
        guard let fields = try await call.form() else { return call.foreignForm }
        guard let form = BrowserSignInForm(fields) else { throw ServerError.unreadableForm }
        let browser = try await call.api.browserSession(call.incoming)
        return call.take(
            try await call.api.pages.signIn.answer(
                form, in: browser, cookie: call.accountToken, by: call.visitor, at: call.now))
    }

    /// The form that the script of the page sends after a passkey was used.
    static func usePasskey(_ call: Call) async throws -> Answer {
        guard let fields = try await call.form(upTo: PasskeySignInForm.limit) else { return call.foreignForm }
        guard let form = PasskeySignInForm(fields) else { throw ServerError.unreadableForm }
        let browser = try await call.api.browserSession(call.incoming)
        return call.take(
            try await call.api.pages.signIn.answer(form, in: browser, by: call.visitor, at: call.now))
    }
}

extension Call {
    /// The person in front of a page.
    var visitor: BrowserVisitor {
        BrowserVisitor(
            address: incoming.address, languages: PageLanguage.tags(accepted: incoming.headers[.acceptLanguage]),
            language: api.pages.language(of: incoming), name: BrowserName(userAgent: incoming.headers[.userAgent]))
    }

    /// What has become of the form before, as a parameter of the address says to which its answer has led; nil if another website
    /// has led here, because its link could say anything.
    func notice(_ name: String = "done") throws -> String? {
        let notice = try incoming.parameter(name)
        return isFromElsewhere ? nil : notice
    }

    /// The answer with the next step of a sign-in.
    fileprivate func take(_ step: SignInStep) -> Answer {
        switch step {
        case .page(let page, let token):
            let answer = answer(page)
            return token.map { answer.setting(cookie($0)) } ?? answer
        case .signedIn(let token, let notice):
            let query = notice.map { "?done=\($0.rawValue)" } ?? ""
            return redirect(to: AccountPage.path + query).setting(cookie(token))
        }
    }

    private func cookie(_ token: String) -> String {
        PageCookie.account.setting(token, isSecure: api.origin.isSecure)
    }
}
