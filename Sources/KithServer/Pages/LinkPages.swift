import HTTPTypes
package import KithModel

/// The pages of a link: a preview, and accepting it with an email and a code.
///
/// There are no cookies. Opening the page changes nothing, because scanners of links open every link of a message. The
/// first form sends a code to an email. The second one sends the code back. If it is right, the account of that email
/// accepts the link; if nobody has the email, a new account gets it and accepts.
package struct LinkPages: Sendable {
    private let database: any Database
    private let signals: SignalSender
    private let invitations: InvitationService
    private let codes: WebCodes
    private let signIn: SignInSettings
    let appPage: String?
    private let random: RandomBytes

    /// The pages of links of `database`.
    ///
    /// - Parameters:
    ///   - database: The database of links and accounts.
    ///   - signals: Sends the signals of commits.
    ///   - invitations: The invitations to one person.
    ///   - codes: Proves emails.
    ///   - signIn: Whether codes are sent by email, and their limits.
    ///   - appPage: Where people get the app; nil if there is no such page.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, signals: SignalSender, invitations: InvitationService, codes: CodeService,
        signIn: SignInSettings, appPage: String?, random: RandomBytes = .system
    ) {
        self.database = database
        self.signals = signals
        self.invitations = invitations
        self.codes = WebCodes(service: codes)
        self.signIn = signIn
        self.appPage = appPage
        self.random = random
    }

    /// The page of a link. It changes nothing.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired`.
    package func preview(_ link: PageLink, at now: Timestamp) async throws -> Page {
        try await invitation(link, at: now).page(newTicket())
    }

    /// The page after a form was sent.
    ///
    /// If the email or the code is wrong, the page says so beside the field. The form that has accepted an invitation can
    /// be sent again, because its answer may be lost.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - link: The link of the page.
    ///   - visitor: Who sent the form.
    ///   - now: The server's time.
    /// - Returns: The page.
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired` about the link. No code is sent then.
    package func answer(
        _ form: LinkForm, _ link: PageLink, by visitor: BrowserVisitor, at now: Timestamp
    ) async throws -> Page {
        let invitation: InvitationPage
        do {
            invitation = try await self.invitation(link, at: now)
        } catch let error as ServerError where error.code == .linkExpired {
            guard let page = try await repeated(form, link, by: visitor, at: now) else { throw error }
            return page
        }
        guard invitation.offer.purpose != .read else { return invitation.page(newTicket()) }
        guard signIn.sendsEmail else { return ProblemPage.page("noCodes", .forbidden) }
        switch form {
        case .email(let email, let ticket, let sent):
            return try await send(to: email, ticket, after: sent, invitation, by: visitor, at: now)
        case .code(let code, let email, let ticket):
            return try await check(code, email, ticket, invitation, by: visitor, at: now)
        }
    }

    // MARK: - The two forms

    private func send(
        to email: String, _ ticket: PageTicket, after sent: PageTicket?, _ invitation: InvitationPage,
        by visitor: BrowserVisitor, at now: Timestamp
    ) async throws -> Page {
        guard let address = EmailAddress(email) else {
            return invitation.page(
                newTicket(), email: email, error: .phrase("accept.invalid"), status: .unprocessableContent)
        }
        let account = AccountID(at: now, random: random)
        let device = PageTexts.of(visitor.language).text("device.page")
        switch try await codes.send(
            to: .email(address), device: device, ticket, after: sent, for: visitor, by: visitor.requester(ticket),
            account: account, at: now)
        {
        case .sent:
            return CodePage.page(
                invitation.link, email: address.text, ticket, next: newTicket(), limits: signIn.limits)
        case .tooSoon(let sent, let error):
            return CodePage.page(
                invitation.link, email: address.text, sent, next: newTicket(), limits: signIn.limits,
                problem: error.phraseAboutSent
            ).answering(error)
        case .refused(let error):
            return invitation.page(newTicket(), email: email, error: error.phrase(in: .email)).answering(error)
        }
    }

    private func check(
        _ code: String, _ email: String, _ ticket: PageTicket, _ invitation: InvitationPage, by visitor: BrowserVisitor,
        at now: Timestamp
    ) async throws -> Page {
        switch try await codes.check(code, ticket, by: visitor.requester(ticket), at: now) {
        case .proved(let proved): return try await accept(invitation, proved, at: now)
        case .lost: return invitation.page(newTicket(), email: email, error: .phrase("accept.lost"), status: .gone)
        case .refused(let error):
            return CodePage.page(
                invitation.link, email: email, ticket, next: newTicket(), limits: signIn.limits,
                error: error.phrase(in: .code)
            ).answering(error)
        }
    }

    /// The page after the form that has accepted an invitation was sent again; nil if the form has not accepted it. Only
    /// the right code shows what the invitation has offered.
    private func repeated(
        _ form: LinkForm, _ link: PageLink, by visitor: BrowserVisitor, at now: Timestamp
    ) async throws -> Page? {
        guard case .code(let code, _, let ticket) = form, link.kind == .invitation, signIn.sendsEmail else {
            return nil
        }
        let invitation = try await invitation(link, evenAccepted: true, at: now)
        let checked = try? await codes.check(code, ticket, by: visitor.requester(ticket), at: now)
        guard case .proved(let proved)? = checked else { return nil }
        return try await accept(invitation, proved, at: now)
    }

    private func accept(_ invitation: InvitationPage, _ proved: ProvedIdentity, at now: Timestamp) async throws -> Page
    {
        do {
            return JoinedPage.page(
                invitation.offer, role: try await accept(invitation.link, by: proved.account, at: now),
                email: proved.identity.shown, origin: invitation.link.origin, appPage: appPage)
        } catch let error as ServerError {
            let isOfList = invitation.link.kind == .list
            switch error.code {
            case .forbidden: return ProblemPage.page(isOfList ? "removed" : "refused", error.code.status)
            case .conflict: return ProblemPage.page(isOfList ? "own" : "ownInvitation", error.code.status)
            case .tooMany: return ProblemPage.page("full", error.code.status)
            default: throw error
            }
        }
    }

    /// The role in the list afterwards, if the link is for one.
    private func accept(_ link: PageLink, by account: AccountID, at now: Timestamp) async throws -> Role? {
        switch link.kind {
        case .invitation: return try await invitations.accept(link.token, by: account, at: now).role
        case .list:
            let server = database.server
            return try await signals.commit(in: database) {
                try LinkTransaction($0, at: now, on: server).accept(link.token, by: account)
            }.role
        }
    }

    // MARK: - Shared code

    private func newTicket() -> PageTicket { PageTicket(random) }

    private func invitation(
        _ link: PageLink, evenAccepted: Bool = false, at now: Timestamp
    ) async throws -> InvitationPage {
        let offer = try await offer(of: link, evenAccepted: evenAccepted, at: now)
        return InvitationPage(link, offer, appPage: appPage, hasForm: signIn.sendsEmail)
    }

    private func offer(of link: PageLink, evenAccepted: Bool, at now: Timestamp) async throws -> PageOffer {
        switch link.kind {
        case .invitation:
            return PageOffer(try await invitations.preview(link.token, evenAccepted: evenAccepted, at: now))
        case .list:
            let server = database.server
            return PageOffer(
                try await database.read { try LinkTransaction($0, at: now, on: server).preview(link.token) })
        }
    }
}

extension BrowserVisitor {
    fileprivate func requester(_ ticket: PageTicket) -> Requester {
        Requester(.linkPage, token: ticket.text, address: address)
    }
}
