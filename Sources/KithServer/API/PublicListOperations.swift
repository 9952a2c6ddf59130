import Foundation
import HTTPTypes
import KithModel

/// The operations for people with the public link of a list: they read it, tick in it if the link permits that, and hear of
/// its changes.
enum PublicListOperations {
    static func show(_ call: Call) async throws -> Answer {
        let token = try call.path.token()
        if call.incoming.prefersHTML {
            let tick = (try? call.notice("tick")).flatMap { TickRefusal(rawValue: $0) }
            return try await page(token, call, tick == .given ? tick : nil)
        }
        return try await call.ration.run(WorkUnits.bytes(Limits.pageBytes)) {
            let list = try await call.readLinks { try $0.publicList(token) }
            return try call.largeAnswer(list)
        }
    }

    private static func page(_ token: String, _ call: Call, _ refusal: TickRefusal? = nil) async throws -> Answer {
        try await call.ration.run(WorkUnits.bytes(Limits.pageBytes)) {
            let list = try await call.shown(try await call.readLinks { try $0.linkedList(token) })
            let link = PageLink(.list, token: token, origin: call.api.origin.text)
            var page = PublicListPage.page(
                list, link, giver: call.giver, ticket: PageTicket(), error: refusal?.phrase(giver: call.giver))
            page.status = refusal?.status ?? .ok
            let answer = call.answer(page)
            call.ration.charge(WorkUnits.bytes(answer.size))
            return answer
        }
    }

    /// The form of an item. It is sent from the page of the link, or from the page of a share link that shows the list.
    static func tick(_ call: Call) async throws -> Answer {
        let token = try call.path.token()
        guard let fields = try await call.form() else { return call.foreignForm }
        guard let form = TickForm(fields) else { throw ServerError.unreadableForm }
        try call.api.live.tickLimits.pass(token, from: call.incoming.address.network, at: call.api.clock.uptime())
        let known = call.giver
        let giver = known ?? form.ticket?.text ?? RandomBytes.system.token()
        let (now, server, session) = (call.now, call.database.server, call.accountToken)
        let outcome = try await call.api.signals.commit(in: call.database) {
            try LinkTicks($0, at: now, on: server)
                .tick(form.item, to: form.isTicked, by: giver, with: token, session: session)
        }
        switch outcome {
        case .ticked: return done(form, token, call)
        case .given:
            if known != nil || !form.isTicked { return done(form, token, call) }
            return done(form, token, call, .given).setting(
                PageCookie.giver.setting(giver, isSecure: call.api.origin.isSecure))
        case .taken: return try await refuse(form, .conflict, token, call)
        case .gone: return try await refuse(form, .gone, token, call)
        case .readOnly: return try await refuse(form, .readOnly, token, call)
        }
    }

    /// Says why a form has done nothing, on the page from which the browser has sent it. So the page of a share link keeps
    /// its code.
    private static func refuse(
        _ form: TickForm, _ refusal: TickRefusal, _ token: String, _ call: Call
    ) async throws -> Answer {
        guard form.origin != nil else { return try await page(token, call, refusal) }
        return call.redirect(to: "\(address(of: form, token, refusal))#shared")
    }

    /// Sends the browser back to the item on the page from which it has sent the form.
    private static func done(
        _ form: TickForm, _ token: String, _ call: Call, _ tick: TickRefusal? = nil
    ) -> Answer {
        call.redirect(to: "\(address(of: form, token, tick))#\(PublicListPage.anchor(of: form.item))")
    }

    /// The page from which a browser has sent a form. `tick` is what it says about the form.
    private static func address(of form: TickForm, _ token: String, _ tick: TickRefusal?) -> String {
        let path = form.origin?.address(server: "") ?? "/v1/public/\(token)"
        guard let tick else { return path }
        return "\(path)\(form.origin?.channel == nil ? "?" : "&")tick=\(tick.rawValue)"
    }

    /// Tells the page of a link when to fetch itself again.
    static func watch(_ call: Call) async throws -> Answer {
        let token = try call.path.token()
        let list = try await call.readLinks { try $0.publicLink(token).list }
        guard try call.wantsEvents() else { return .headOfEvents }
        let stream = try call.api.live.listStreams.open(list.retyped(), from: call.incoming.address)
        let (database, clock) = (call.database, call.api.clock)
        return Answer(
            events: ListEvents(stream) {
                let (now, server) = (clock.time(), database.server)
                return try await database.read { transaction in
                    try LinkTransaction(transaction, at: now, on: server).isPublicLink(token)
                }
            })
    }
}

extension PageCookie {
    /// The secret of a browser with which somebody has said “I give this”, so that the same browser can take it back. It is
    /// no session, and only the pages of wish lists read it.
    package static let giver = PageCookie("kith-giver", .lax, lifetime: .days(365))
}

extension Call {
    /// The secret of a browser that has given something; nil if it has none.
    var giver: String? { PageCookie.giver.value(in: incoming.headers, isSecure: api.origin.isSecure) }

    /// The token of the browser's session, which may be closed; nil if it has none.
    var accountToken: String? {
        PageCookie.account.value(in: incoming.headers, isSecure: api.origin.isSecure)
    }

    /// A list as this browser may see it: without gifts if it is signed in to the account of somebody in the list.
    func shown(_ list: LinkedList) async throws -> LinkedList {
        guard case .gifts = list.ticks, let token = accountToken else { return list }
        let id = list.id
        let isMember = try await database.read { try GiftTable.areHidden(from: token, in: id, $0) }
        guard isMember else { return list }
        var list = list
        list.ticks = .hiddenGifts
        return list
    }
}
