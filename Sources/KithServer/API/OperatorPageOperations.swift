import Foundation
import HTTPTypes
import KithModel

/// The pages of the operator in a browser.
enum OperatorPageOperations {
    private static let signInPath = "/admin/sign-in"
    private static let referralsPath = "/admin/referrals"
    private static let deliveriesPath = "/admin/deliveries"
    /// The cost of hashing a password, in units of work.
    private static let hashing = 1_000

    // MARK: Signing in and out

    static func showSignIn(_ call: Call) async throws -> Answer {
        let pages = try call.operatorPages()
        if try await OperatorSession(of: call) != nil { return call.redirect(to: "/admin") }
        return call.answer(try await pages.signInPage())
    }

    static func signIn(_ call: Call) async throws -> Answer {
        let pages = try call.operatorPages()
        guard let form = try await call.form() else { return call.foreignForm }
        guard let name = form["name"], let password = form["password"] else { throw ServerError.unreadableForm }
        let (network, now, typed) = (call.incoming.address.network, call.now, String(name.prefix(32)))
        let token: String?
        do {
            call.ration.charge(hashing)
            token = try await call.ration.run(hashing) {
                try await pages.operators.signIn(name, password: password, from: network, at: now)
            }
        } catch let error as ServerError where error.code == .quotaExceeded {
            var page = OperatorSignInPage.form(
                name: typed, error: .phrase("operator.wait"), status: error.code.status)
            page.retryAfter = error.retryAfter
            return call.answer(page)
        }
        guard let token else {
            return call.answer(
                OperatorSignInPage.form(name: typed, error: .phrase("operator.wrong"), status: .unprocessableContent))
        }
        return call.redirect(to: "/admin").setting(
            PageCookie.operatorPages.setting(token, isSecure: call.api.origin.isSecure))
    }

    static func signOut(_ call: Call) async throws -> Answer {
        let session = try await OperatorSession(of: call)
        guard let form = try await call.form() else { return call.foreignForm }
        if let session {
            guard session.frame.signOutProof.fits(form) else { return call.redirect(to: "/admin") }
            try await session.end()
        }
        return call.redirect(to: signInPath).setting(
            PageCookie.operatorPages.removing(isSecure: call.api.origin.isSecure))
    }

    // MARK: The pages

    /// The answer to an operator who has signed in. Anybody else is sent to the page for that.
    ///
    /// A form of another website is refused first: it comes without the cookie.
    static func answer(_ call: Call, by handle: APIOperation.OperatorHandler) async throws -> Answer {
        let session = try await OperatorSession(of: call)
        if call.incoming.method == .post, call.isFromElsewhere { return call.foreignForm }
        guard let session else { return call.redirect(to: signInPath) }
        let answer = try await handle(call, session)
        call.ration.charge(WorkUnits.bytes(answer.size))
        return answer
    }

    static func showFunnel(_ call: Call, _ session: OperatorSession) async throws -> Answer {
        call.answer(try await session.pages.page(FunnelFilter(call.field, at: call.now), session.frame))
    }

    static func showFunnelTable(_ call: Call, _ session: OperatorSession) async throws -> Answer {
        let funnel = try await session.pages.funnel(FunnelFilter(call.field, at: call.now))
        return Answer(
            .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8",
                .contentDisposition: #"attachment; filename="funnel.csv""#, .referrerPolicy: "no-referrer",
            ], body: Data(funnel.csv.utf8))
    }

    static func showReferrals(_ call: Call, _ session: OperatorSession) async throws -> Answer {
        let number = call.field("page").flatMap { Int($0) } ?? 1
        return call.answer(
            try await session.pages.page(ReferralFilter(call.field), number: number, notice(for: call), session.frame))
    }

    /// What the form before has done, according to the address to which its answer has sent the browser.
    private static func notice(for call: Call) -> ReferralsPage.Notice? {
        if call.field("nothing") != nil { return .nothing }
        if call.field("foreign") != nil { return .foreign }
        let unchanged = call.field("unchanged").flatMap { Int($0) } ?? 0
        if let count = call.field("released").flatMap({ Int($0) }) {
            return .decided(isRelease: true, count, unchanged: unchanged)
        }
        if let count = call.field("refused").flatMap({ Int($0) }) {
            return .decided(isRelease: false, count, unchanged: unchanged)
        }
        return nil
    }

    static func decideReferrals(_ call: Call, _ session: OperatorSession) async throws -> Answer {
        guard let form = try await session.form(of: call, upTo: ReferralsForm.limit) else { return call.foreignForm }
        guard let wanted = ReferralsForm(form) else { throw ServerError.unreadableForm }
        func back(_ more: (name: String, value: String)) -> Answer {
            call.redirect(to: "\(referralsPath)?\(wanted.filter.query(more))")
        }
        guard session.frame.decisionProof.fits(form) else { return back(("foreign", "1")) }
        if !wanted.action.isForAll, wanted.ids.isEmpty { return back(("nothing", "1")) }
        guard let decisions = try await session.pages.decide(wanted, at: call.now) else {
            return call.answer(try await session.pages.question(wanted, session.frame))
        }
        // A button that is pressed twice finds what it has asked for.
        let done = decisions.count { $0.state == wanted.action.state }
        let query = wanted.filter.query(
            (wanted.action.isRelease ? "released" : "refused", String(done)),
            ("unchanged", String(decisions.count - done)))
        return call.redirect(to: "\(referralsPath)?\(query)")
    }

    static func showDeliveries(_ call: Call, _ session: OperatorSession) async throws -> Answer {
        let state = call.field("state").flatMap { DeliveriesPage.State(rawValue: $0) }
        var notice: DeliveriesPage.Notice?
        if let count = call.field("again").flatMap({ Int($0) }) { notice = .sentAgain(count) }
        if call.field("resumed") != nil { notice = .resumed }
        if call.field("foreign") != nil { notice = .foreign }
        return call.answer(try await session.pages.page(state, notice, session.frame))
    }

    static func sendAgain(_ call: Call, _ session: OperatorSession) async throws -> Answer {
        guard let form = try await session.form(of: call) else { return call.foreignForm }
        guard let wanted = DeliveriesForm(form) else { throw ServerError.unreadableForm }
        guard session.frame.deliveryProof.fits(form) else { return call.redirect(to: "\(deliveriesPath)?foreign=1") }
        switch try await session.pages.carryOut(wanted, at: call.now) {
        case .sentAgain(let count): return call.redirect(to: "\(deliveriesPath)?again=\(count)")
        case .resumed: return call.redirect(to: "\(deliveriesPath)?resumed=1")
        case .foreign: return call.redirect(to: "\(deliveriesPath)?foreign=1")
        }
    }

    static func showHealth(_ call: Call, _ session: OperatorSession) async throws -> Answer {
        let (api, metrics) = (call.api, call.api.metrics.registry)
        var problem: String?
        do {
            try await api.ready.check()
        } catch {
            problem = (error as? ServerError)?.sentence ?? "The database cannot be read or written."
        }
        let now = [
            ServerHealth.Figure("running", api.live.gate.running),
            ServerHealth.Figure("connections", api.live.connections.count),
            ServerHealth.Figure("streams", api.live.hub.count), ServerHealth.Figure("heavy", api.live.work.waiting),
            ServerHealth.Figure("unwritten", api.live.connections.unwritten >> 10),
        ]
        let since = [
            ServerHealth.Figure("requests", metrics.total(of: "kith_requests_total")),
            ServerHealth.Figure("refusals", metrics.total(of: "kith_requests_total", where: #"status="429""#)),
            ServerHealth.Figure("errors", metrics.total(of: "kith_requests_total", where: #"status="5"#)),
            ServerHealth.Figure("database", metrics.total(of: "kith_database_errors_total")),
            ServerHealth.Figure("commits", metrics.total(of: "kith_commits_total")),
            ServerHealth.Figure("delivered", metrics.total(of: "kith_messages_total", where: #"event="sent""#)),
            ServerHealth.Figure("undelivered", metrics.total(of: "kith_messages_total", where: #"event="failed""#)),
        ]
        let stored = (try? await session.pages.figures()) ?? []
        return call.answer(
            ServerHealth(problem: problem, now: now + stored, sinceStart: since).page(session.frame))
    }
}

extension Call {
    /// A field of the query; nil if it is missing or cannot be read.
    fileprivate func field(_ name: String) -> String? { try? incoming.parameter(name) }
}
