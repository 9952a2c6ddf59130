import HTTPTypes
package import KithModel

/// The pages of an account in a browser, and their forms. Everything that a form does is done by the services that the API
/// uses, so the same rules and limits apply.
package struct AccountPages: Sendable {
    private let database: any Database
    private let sessions: SessionService
    private let accounts: AccountService
    private let identities: IdentityService
    private let issuers: IssuerService
    private let passkeys: PasskeyService
    private let uses: CodeUses

    /// The pages over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of accounts.
    ///   - signals: Sends the signals of commits.
    ///   - sessions: The sessions of accounts.
    ///   - identities: The numbers and emails of accounts.
    ///   - issuers: The identities at issuers.
    ///   - passkeys: The passkeys.
    package init(
        database: any Database, signals: SignalSender, sessions: SessionService, identities: IdentityService,
        issuers: IssuerService, passkeys: PasskeyService
    ) {
        self.database = database
        accounts = AccountService(database: database, signals: signals)
        uses = CodeUses(database: database, signals: signals)
        (self.sessions, self.identities, self.issuers, self.passkeys) = (sessions, identities, issuers, passkeys)
    }

    /// What happens after a form of the account was sent.
    package enum Outcome: Sendable {
        /// The form has done what it is for.
        case done(AccountPage.Notice)
        /// The session of the browser is closed.
        case signedOut
        /// The form has done nothing yet: the page asks whether it is to be done.
        case asked(Page)
        /// The form has done nothing, and the page says why.
        case refused(Page)
    }

    // MARK: - The page of the account

    /// The page of the account, with what a form has done.
    package func page(
        for browser: BrowserSession, _ visitor: BrowserVisitor, notice: AccountPage.Notice? = nil
    ) async throws -> Page {
        AccountPage(for: browser, languages: visitor.wanted).page(try await overview(of: browser), notice: notice)
    }

    /// The page of the account, with the reason why a form has done nothing.
    private func page(
        for browser: BrowserSession, _ visitor: BrowserVisitor, problem: String, _ error: ServerError
    ) async throws -> Page {
        AccountPage(for: browser, languages: visitor.wanted)
            .page(try await overview(of: browser), problem: .phrase(problem), status: error.code.status)
    }

    private func overview(of browser: BrowserSession) async throws -> AccountOverview {
        let account = browser.account
        var overview = try await ways(of: account)
        let (name, sharing) = try await database.read { transaction -> (String?, SharingOverview) in
            let place = RecordPlace.profile(of: account)
            let profile = try RecordRow.read([place], in: transaction)[place]?.state.fields ?? [:]
            return (Profile(profile).fullName, try SharingOverview.read(account, in: transaction))
        }
        (overview.name, overview.sharing) = (name, sharing)
        let most = AccountPage.mostSessions
        overview.sessions = try await sessions.list(of: account, by: browser.token, newest: most + 1).sessions
        if overview.sessions.count > most, let oldest = overview.sessions.firstIndex(where: { !$0.isCurrent }) {
            overview.sessions.remove(at: oldest)
            overview.hasMoreSessions = true
        }
        return overview
    }

    /// The ways to sign in to an account, and nothing else of it.
    private func ways(of account: AccountID) async throws -> AccountOverview {
        var overview = AccountOverview()
        overview.identities = try await identities.list(of: account)
        overview.identities.issuers = try await issuers.identities(of: account)
        overview.passkeys = try await passkeys.list(of: account).passkeys
        return overview
    }

    // MARK: - Forms

    /// Does what a form asks for. If it is so already, because the form was sent before, nothing is to be done.
    ///
    /// - Parameters:
    ///   - form: The form, whose proof fits.
    ///   - browser: The session of the browser.
    ///   - visitor: Who has sent it.
    ///   - now: The server's time.
    /// - Returns: What has happened.
    /// - Throws: ``ServerError`` if the database fails.
    package func answer(
        _ form: AccountForm, in browser: BrowserSession, by visitor: BrowserVisitor, at now: Timestamp
    ) async throws -> Outcome {
        let questions = AccountPage(for: browser, languages: visitor.wanted)
        switch form {
        case .signOut:
            try await sessions.close(browser.token)
            return .signedOut
        case .closeSession(let session):
            try await Self.unlessGone { try await sessions.close(session, of: browser.account) }
            return session == SessionID(token: browser.token) ? .signedOut : .done(.closed)
        case .closeOthers(isSure: false): return .asked(questions.askToCloseOthers())
        case .closeOthers(isSure: true):
            try await sessions.closeOthers(of: browser.account, keeping: browser.token)
            return .done(.closedOthers)
        case .removeWay(let way, isSure: false):
            // Of a way that is gone, nothing is to be asked.
            let overview = try await ways(of: browser.account)
            return questions.askToRemove(way, of: overview).map(Outcome.asked) ?? .done(way.notice)
        case .removeWay(let way, isSure: true):
            do {
                try await Self.unlessGone { try await remove(way, of: browser.account, visitor, at: now) }
                return .done(way.notice)
            } catch let error as ServerError where error.code == .lastWayIn {
                return .refused(try await page(for: browser, visitor, problem: "account.lastWay", error))
            }
        case .useCode(let link):
            do {
                try await uses.use(link, by: browser.account, from: visitor.address.network, at: now)
                return .done(.used)
            } catch let error as ServerError where error.code == .tooMany {
                return .refused(try await page(for: browser, visitor, problem: "account.codeLimit", error))
            }
        }
    }

    /// Removes something, unless it is gone already.
    private static func unlessGone(_ work: () async throws -> Void) async throws {
        do { try await work() } catch let error as ServerError where error.code == .notFound {}
    }

    private func remove(
        _ way: AccountForm.Way, of account: AccountID, _ visitor: BrowserVisitor, at now: Timestamp
    ) async throws {
        switch way {
        case .identity(let identity):
            try await identities.remove(
                identity, of: account, evenLast: false, from: visitor.address.description, at: now)
        case .issuer(let id): try await issuers.remove(id, of: account)
        case .passkey(let id): try await passkeys.remove(id, of: account)
        }
    }

    // MARK: - Taking data along

    /// What somebody gets who saves their data.
    package enum Export: Sendable {
        case archive(AccountArchive)
        /// The data is more than a browser gets, and the page says so.
        case refused(Page)
    }

    /// Everything that the API shows to the account's devices.
    package func export(
        _ browser: BrowserSession, for visitor: BrowserVisitor, at now: Timestamp
    ) async throws -> Export {
        let overview = try await overview(of: browser)
        do {
            return .archive(
                AccountArchive(
                    account: browser.account, exported: now, identities: overview.identities,
                    passkeys: overview.passkeys,
                    sessions: try await sessions.list(of: browser.account, by: browser.token).sessions,
                    feeds: try await AccountArchive.feeds(of: browser.account, in: database, at: now)))
        } catch let error as ServerError where error.code == .tooMany {
            return .refused(try await page(for: browser, visitor, problem: "account.tooLarge", error))
        }
    }

    // MARK: - Deleting

    /// The page on which the account is deleted.
    package func deletion(for browser: BrowserSession, _ visitor: BrowserVisitor) async throws -> Page {
        try await deletion(for: browser, visitor, after: nil, nil, status: .ok)
    }

    private func deletion(
        for browser: BrowserSession, _ visitor: BrowserVisitor, after form: DeletionForm?,
        _ mistake: DeletionForm.Mistake?, status: HTTPResponse.Status
    ) async throws -> Page {
        AccountPage(for: browser, languages: visitor.wanted).deletion(
            sharedLists: try await accounts.sharedLists(of: browser.account), after: form, mistake: mistake,
            status: status)
    }

    /// Deletes the account if the form confirms it.
    ///
    /// - Parameters:
    ///   - form: The form, whose proof fits.
    ///   - browser: The session of the browser.
    ///   - visitor: Who has sent it.
    ///   - now: The server's time.
    /// - Returns: The page again, with the reason, if nothing was deleted; nil if the account was deleted.
    /// - Throws: ``ServerError`` with the code `busy` if the database is not available.
    package func delete(
        _ form: DeletionForm, in browser: BrowserSession, by visitor: BrowserVisitor, at now: Timestamp
    ) async throws -> Page? {
        guard form.isConfirmed else {
            return try await deletion(for: browser, visitor, after: form, .wrongWord, status: .unprocessableContent)
        }
        do {
            try await Self.unlessGone { try await accounts.delete(browser.account, deciding: form.deletion, at: now) }
            return nil
        } catch let error as ServerError where error.code == .listsUndecided {
            return try await deletion(for: browser, visitor, after: form, .undecided, status: error.code.status)
        }
    }
}
