import Foundation
import HTTPTypes
import KithModel

/// The pages of an account in a browser.
enum AccountPageOperations {
    static func show(_ call: Call, _ browser: BrowserSession?) async throws -> Answer {
        guard let browser, browser.isSignedIn else { return call.redirect(to: SignInPage.path) }
        let notice = try call.notice().flatMap { AccountPage.Notice(rawValue: $0) }
        return call.charged(try await call.api.pages.account.page(for: browser, call.visitor, notice: notice))
    }

    /// The forms of the page. Each does one thing.
    static func send(_ call: Call, _ browser: BrowserSession?) async throws -> Answer {
        guard let fields = try await call.form() else { return call.foreignForm }
        guard let browser, browser.isSignedIn else {
            // A button that is pressed again finds what it has asked for. A session that waits for a code stays.
            guard AccountForm(fields) == .signOut else { return call.signedOut }
            return call.redirect(to: "\(SignInPage.path)?done=\(SignInPage.Notice.signedOut.rawValue)")
        }
        guard let form = AccountForm(fields) else { throw ServerError.unreadableForm }
        guard browser.proof(form.action.rawValue).fits(fields) else { return call.signedInAgain }
        switch try await call.api.pages.account.answer(form, in: browser, by: call.visitor, at: call.now) {
        case .done(let notice): return call.redirect(to: "\(AccountPage.path)?done=\(notice.rawValue)")
        case .signedOut: return call.leave(.signedOut)
        case .asked(let page), .refused(let page): return call.charged(page)
        }
    }

    /// The account's data as a file.
    static func export(_ call: Call, _ browser: BrowserSession?) async throws -> Answer {
        guard let browser, browser.isSignedIn else { return call.signedOut }
        guard let fields = try await call.form() else { return call.foreignForm }
        guard browser.proof(AccountForm.Action.export.rawValue).fits(fields) else { return call.signedInAgain }
        return try await call.ration.run(WorkUnits.bytes(Limits.pageBytes)) {
            let export = try await call.api.pages.account.export(browser, for: call.visitor, at: call.now)
            switch export {
            case .archive(let archive):
                var answer = try call.largeAnswer(archive)
                answer.headers[.contentDisposition] = "attachment; filename=\"account.json\""
                return answer
            case .refused(let page): return call.charged(page)
            }
        }
    }

    static func showDeletion(_ call: Call, _ browser: BrowserSession?) async throws -> Answer {
        guard let browser, browser.isSignedIn else { return call.redirect(to: SignInPage.path) }
        return call.answer(try await call.api.pages.account.deletion(for: browser, call.visitor))
    }

    static func delete(_ call: Call, _ browser: BrowserSession?) async throws -> Answer {
        guard let browser, browser.isSignedIn else {
            // A form that is sent again finds what it has asked for.
            return try await call.hasDeletedAccount() ? call.leave(.deleted) : call.signedOut
        }
        guard let fields = try await call.form() else { return call.foreignForm }
        guard browser.proof(AccountForm.Action.delete.rawValue).fits(fields) else { return call.signedInAgain }
        let page = try await call.api.pages.account.delete(
            DeletionForm(fields), in: browser, by: call.visitor, at: call.now)
        return page.map { call.answer($0) } ?? call.leave(.deleted)
    }
}

extension Call {
    /// The answer to a form of the account's pages from somebody who is not signed in.
    fileprivate var signedOut: Answer { answer(api.pages.signIn.signedOut(visitor, at: now)) }

    /// The answer to a form without the proof of the session: it was made before somebody has signed in again in another tab.
    fileprivate var signedInAgain: Answer {
        redirect(to: "\(AccountPage.path)?done=\(AccountPage.Notice.signedInAgain.rawValue)")
    }

    /// The answer with the page of the account, whose bytes count as work.
    fileprivate func charged(_ page: Page) -> Answer {
        let answer = answer(page)
        ration.charge(WorkUnits.bytes(answer.size))
        return answer
    }

    /// Whether the account of the browser's session was deleted.
    fileprivate func hasDeletedAccount() async throws -> Bool {
        guard let token = accountToken else { return false }
        do {
            _ = try await api.features.sessions.verify(token)
            return false
        } catch let error as ServerError where error.code == .accountClosed {
            return true
        }
    }

    /// Sends the browser to the page on which people sign in, and removes its cookie.
    fileprivate func leave(_ notice: SignInPage.Notice) -> Answer {
        redirect(to: "\(SignInPage.path)?done=\(notice.rawValue)")
            .setting(PageCookie.account.removing(isSecure: api.origin.isSecure))
    }
}
