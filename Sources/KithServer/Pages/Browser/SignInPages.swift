import HTTPTypes
package import KithModel

/// Signs people in on the web, exactly as the app does: the browser opens a session, asks for a code, and sends it back.
///
/// The session is an ordinary one of the account, and its token is the value of a cookie. Signing in always gives a new
/// token, because somebody who has used the browser before may know that of the session that waits.
package struct SignInPages: Sendable {
    private let database: any Database
    private let sessions: SessionService
    private let codes: WebCodes
    private let passkeys: PasskeyService
    private let uses: CodeUses
    private let settings: SignInSettings
    private let sendsSMS: Bool
    private let random: RandomBytes

    /// The pages over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of sessions and codes.
    ///   - signals: Sends the signals of commits.
    ///   - sessions: Opens and closes sessions.
    ///   - codes: Proves emails and numbers.
    ///   - passkeys: Signs in with passkeys.
    ///   - settings: Whether codes are sent by email, and their limits.
    ///   - sendsSMS: Whether codes are sent by SMS.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, signals: SignalSender, sessions: SessionService, codes: CodeService,
        passkeys: PasskeyService, settings: SignInSettings, sendsSMS: Bool,
        random: RandomBytes = .system
    ) {
        self.database = database
        uses = CodeUses(database: database, signals: signals)
        (self.sessions, self.codes, self.passkeys) = (sessions, WebCodes(service: codes), passkeys)
        (self.settings, self.sendsSMS, self.random) = (settings, sendsSMS, random)
    }

    private var ways: SignInWays {
        SignInWays(email: settings.sendsEmail, phone: sendsSMS, passkeyDomain: passkeys.domainInPages)
    }

    /// Whether people can sign in on the page.
    var canSignIn: Bool { ways.hasCodes || ways.passkeyDomain != nil }

    private func newTicket() -> PageTicket { PageTicket(random) }

    private func page(
        _ share: ShareLink?, for visitor: BrowserVisitor, opened: Timestamp
    ) async throws -> SignInPage {
        var shared: SharedCode?
        if let share { shared = try await database.read { try SharedCode.find(share.code, in: $0) } }
        return SignInPage(
            ways, shared, by: share?.channel, for: visitor, opened: opened, limits: settings.limits)
    }

    // MARK: - Opening the page

    /// The page. It changes nothing.
    ///
    /// - Parameters:
    ///   - share: The code of the person whose link has led here, and its channel; nil if there is none.
    ///   - namesCode: Whether the address names a code, which may be one that cannot be read. The page says if nobody has
    ///     it.
    ///   - notice: What has happened before.
    ///   - browser: The session of the browser; nil if it has none.
    ///   - visitor: Who is in front of it.
    ///   - now: The server's time.
    /// - Returns: The page.
    /// - Throws: ``ServerError`` with the code `busy` if the database is not available.
    package func open(
        _ share: ShareLink?, namesCode: Bool, _ notice: SignInPage.Notice?, in browser: BrowserSession?,
        for visitor: BrowserVisitor, at now: Timestamp
    ) async throws -> Page {
        let page = try await page(share, for: visitor, opened: now)
        if let browser, browser.isSignedIn {
            return page.hasCode ? page.usePage(for: browser) : ProblemPage.page("unknownCode", .notFound)
        }
        return page.page(newTicket(), notice: notice, isUnknown: namesCode && !page.hasCode)
    }

    /// The page for somebody who has sent a form of the account's pages without being signed in.
    package func signedOut(_ visitor: BrowserVisitor, at now: Timestamp) -> Page {
        SignInPage(ways, nil, for: visitor, opened: now, limits: settings.limits)
            .page(newTicket(), problem: .phrase("signin.over"), status: .forbidden)
    }

    // MARK: - The two forms

    /// What happens after a form was sent.
    ///
    /// If the email or the code is wrong, the page says so beside the field.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - browser: The session of the browser; nil if it has none.
    ///   - cookie: The token in its cookie, also if that session was closed.
    ///   - visitor: Who has sent it.
    ///   - now: The server's time.
    /// - Returns: The next step.
    /// - Throws: ``ServerError`` if the next step is not known.
    package func answer(
        _ form: BrowserSignInForm, in browser: BrowserSession?, cookie: String?, by visitor: BrowserVisitor,
        at now: Timestamp
    ) async throws -> SignInStep {
        if let browser, browser.isSignedIn, try await isAnswered(form, by: browser) {
            return try await signedIn(browser, form, for: visitor, at: now)
        }
        guard ways.hasCodes else { return .page(ProblemPage.page("noCodes", .forbidden), token: nil) }
        let page = try await page(form.share, for: visitor, opened: form.opened(at: now))
        guard let code = form.code else { return try await send(form, page, in: browser, by: visitor, at: now) }
        let step = try await check(code, form, page, cookie: cookie, by: visitor, at: now)
        // Another tab has signed in meanwhile. With a share code there is a button that uses it, and else a link to the account.
        guard let browser, browser.isSignedIn, case .page(var lost, let token) = step, lost.status == .gone else {
            return step
        }
        if page.hasCode { return try await signedIn(browser, form, for: visitor, at: now) }
        lost.values["hasAccount"] = .flag(true)
        return .page(lost, token: token)
    }

    /// Whether the session of a browser that is signed in answers a form. If the form has a code, it is sent again because its
    /// answer was lost: the code has opened the session. The session of somebody else, who has used the browser before, is no
    /// answer to a right code.
    private func isAnswered(_ form: BrowserSignInForm, by browser: BrowserSession) async throws -> Bool {
        guard form.code != nil else { return true }
        return try await codes.service.hasOpened(browser.token, with: form.ticket.code)
    }

    /// The next step for somebody who is signed in already. With a share code there is a button that uses it.
    private func signedIn(
        _ browser: BrowserSession, _ form: BrowserSignInForm, for visitor: BrowserVisitor, at now: Timestamp
    ) async throws -> SignInStep {
        let page = try await page(form.share, for: visitor, opened: now)
        return page.hasCode ? .page(page.usePage(for: browser), token: nil) : .signedIn(token: browser.token, nil)
    }

    private func send(
        _ form: BrowserSignInForm, _ page: SignInPage, in browser: BrowserSession?, by visitor: BrowserVisitor,
        at now: Timestamp
    ) async throws -> SignInStep {
        guard let identity = form.identity, sends(to: identity) else {
            let error = PageValue.phrase(sendsSMS ? "signin.invalid" : "accept.invalid")
            return .page(
                page.page(newTicket(), typed: form.typed, error: error, status: .unprocessableContent), token: nil)
        }
        let (account, token) = try await waiting(browser, form.ticket, at: now)
        // From here on, the browser gets the cookie of the session, whatever fails: otherwise nobody would know its token.
        let answer: Page
        do {
            // Before the account signs up, because then it is decided who has brought it. If there is no room for the code,
            // the page of the account says so, after the sign-in.
            if let share = form.share {
                do {
                    try await uses.use(
                        share, by: account, from: visitor.address.network, used: form.opened(at: now), at: now)
                } catch let error as ServerError where error.code == .tooMany {}
            }
            let sent = try await codes.send(
                to: identity, device: visitor.device, form.ticket, after: form.sent, for: visitor,
                by: visitor.requester(token), account: account, at: now)
            answer = self.answer(sent, form, to: identity, page, for: visitor)
        } catch let error as ServerError where error.code == .busy {
            answer = page.page(newTicket(), typed: form.typed, problem: .phrase("signin.busy")).answering(error)
        }
        return .page(answer, token: token)
    }

    /// The page after a code was requested.
    private func answer(
        _ sent: WebCodes.Sent, _ form: BrowserSignInForm, to identity: Identity, _ page: SignInPage,
        for visitor: BrowserVisitor
    ) -> Page {
        switch sent {
        case .sent:
            page.codePage(identity.shown, isNumber: !identity.isEmail, form.ticket, next: newTicket())
        case .tooSoon(let sent, let error):
            page.codePage(
                identity.shown, isNumber: !identity.isEmail, sent, next: newTicket(), problem: error.phraseAboutSent
            ).answering(error)
        case .refused(let error):
            page.page(newTicket(), typed: form.typed, error: phrase(error, about: identity, for: visitor))
                .answering(error)
        }
    }

    /// Why no code was sent. If the number is the reason, the text names the countries whose numbers get codes.
    private func phrase(
        _ error: ServerError, about identity: Identity, for visitor: BrowserVisitor
    ) -> PageValue {
        guard !identity.isEmail, [.malformed, .forbidden].contains(error.code) else {
            return error.phrase(in: identity.isEmail ? .email : .number)
        }
        let locale = visitor.language.locale
        let countries = codes.service.countries.countries.sorted(in: locale).map { $0.name(in: locale) }
        return .phrase("signin.unreachableNumber", ["countries": countries.joined(separator: ", ")])
    }

    private func sends(to identity: Identity) -> Bool {
        switch identity {
        case .email: settings.sendsEmail
        case .phone: sendsSMS
        }
    }

    /// The account and the token of the session that waits for the code. It is opened if the browser has none. A form that is
    /// sent again before its answer has arrived waits in the same session.
    private func waiting(
        _ browser: BrowserSession?, _ ticket: PageTicket, at now: Timestamp
    ) async throws -> (AccountID, String) {
        if let browser { return (browser.account, browser.token) }
        let session = try await sessions.open(RequestKey(ticket.text), at: now)
        return (session.account, session.token)
    }

    private func check(
        _ code: String, _ form: BrowserSignInForm, _ page: SignInPage, cookie: String?, by visitor: BrowserVisitor,
        at now: Timestamp
    ) async throws -> SignInStep {
        func lost(_ reason: String = "signin.lost") -> SignInStep {
            .page(page.page(newTicket(), typed: form.typed, error: .phrase(reason), status: .gone), token: nil)
        }
        guard let cookie else { return lost("signin.noCookie") }
        switch try await codes.check(code, form.ticket, by: visitor.requester(cookie), at: now) {
        case .proved(let proved):
            // A browser always gets a token.
            guard let token = proved.token else { return lost() }
            return await finish(token, of: proved.account, form.share, by: visitor, at: now)
        case .lost: return lost()
        case .refused(let error):
            let page = page.codePage(
                form.typed, isNumber: form.identity?.isEmail == false, form.ticket, next: newTicket(),
                error: error.phrase(in: .code))
            return .page(page.answering(error), token: nil)
        }
    }

    /// The last step of a sign-in, after its session was opened. The browser gets the cookie of the session whatever fails now,
    /// because nobody else knows its token. If the code was not used, the page of the account says so.
    private func finish(
        _ token: String, of account: AccountID, _ share: ShareLink?, by visitor: BrowserVisitor, at now: Timestamp
    ) async -> SignInStep {
        var notice: AccountPage.Notice?
        if let share {
            do {
                try await uses.use(share, by: account, from: visitor.address.network, at: now)
            } catch let error as ServerError where error.code == .tooMany {
                notice = .codeLimit
            } catch {
                notice = .notUsed
            }
        }
        return .signedIn(token: token, notice)
    }

    // MARK: - Passkeys

    /// What happens after the script of the page has used a passkey.
    ///
    /// - Parameters:
    ///   - form: The form that the script has sent.
    ///   - browser: The session of the browser, which is closed then; nil if it has none.
    ///   - visitor: Who has sent it.
    ///   - now: The server's time.
    /// - Returns: The next step.
    /// - Throws: ``ServerError`` if the next step is not known.
    package func answer(
        _ form: PasskeySignInForm, in browser: BrowserSession?, by visitor: BrowserVisitor, at now: Timestamp
    ) async throws -> SignInStep {
        do {
            let session = try await passkeys.finishSignIn(form.ceremony, form.assertion, at: now)
            // Nobody needs the session that the browser had before: its cookie is replaced. If the session cannot be closed
            // now, it is one of those that its account shows and can close.
            if let browser { _ = try? await sessions.close(browser.token) }
            return await finish(session.token, of: session.account, form.share, by: visitor, at: now)
        } catch let error as ServerError where [.notFound, .passkeyRefused, .forbidden].contains(error.code) {
            let page = try await page(form.share, for: visitor, opened: now)
            return .page(
                page.page(newTicket(), problem: .phrase("signin.refused"), status: error.code.status), token: nil)
        }
    }
}
