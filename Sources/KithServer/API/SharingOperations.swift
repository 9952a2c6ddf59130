import HTTPTypes
import KithModel

/// Shows the programmes of the server to apps, and the pages of share links to browsers. Everything else about sharing is
/// done by edits of records.
enum SharingOperations {
    static func showProgrammes(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let languages = PageLanguage.tags(accepted: call.incoming.headers[.acceptLanguage])
        let audience: Programme.Audience = session.kind == "identified" ? .identified : .anonymous
        let rows = try await call.database.read { try ProgrammeRow.all(in: $0) }
        let programmes = rows.map { $0.programme.shown(in: languages, to: audience) }
        return try Answer(json: ShareProgrammeList(programmes: programmes))
    }

    /// The page of a code, or the way to the operator's own page. Every client gets HTML, because programs that make link
    /// previews do not ask for it.
    static func showPage(_ call: Call) async throws -> Answer {
        let (shared, list) = try await find(call, isForLink: true)
        let incoming = call.incoming
        let named = (try? incoming.parameter("c")).flatMap { ShareChannel(rawValue: $0) }
        if VisitFilter.isVisit(incoming.method, incoming.headers) {
            call.api.visits.note(
                shared.code, in: shared.programme.name, by: named ?? .link, from: incoming.address.network,
                incoming.headers[.userAgent] ?? "")
        }
        if let address = SharePage.redirect(shared, by: named) {
            return Answer(.seeOther, headers: [.location: address, .referrerPolicy: "no-referrer"])
        }
        let pages = call.api.pages
        let languages =
            PageLanguage.tags(accepted: incoming.headers[.acceptLanguage])
            + [pages.language(of: incoming).rawValue]
        var shown: LinkedList?
        if let list { shown = try await call.shown(list) }
        let page = SharePage(
            shared, by: named, origin: call.api.origin.text, appPage: pages.links.appPage,
            hasSignIn: call.api.pages.signIn.canSignIn, languages: languages, list: shown, giver: call.giver,
            ticket: shown.map { _ in PageTicket() },
            refusal: (try? call.notice("tick")).flatMap { TickRefusal(rawValue: $0) })
        return pages.answer(page, to: incoming, call.api.origin)
    }

    /// The QR code of the link, as a picture in SVG.
    static func showQRCode(_ call: Call) async throws -> Answer {
        let link = ShareLink(try await find(call).shared.code, channel: .scan)
        guard let code = QRCode(call.api.origin.share(link)) else { throw ServerError.nothingHere }
        return Answer(
            .ok,
            headers: [
                .contentType: "image/svg+xml", .cacheControl: "public, max-age=3600",
                .contentSecurityPolicy: "default-src 'none'",
            ], body: code.svg)
    }

    /// The picture of the programme of a code.
    static func showPicture(_ call: Call) async throws -> Answer {
        let (shared, database) = (try await find(call).shared, call.database)
        guard let picture = try await ProgrammeService(database: database).picture(of: shared.programme.name) else {
            throw ServerError.nothingHere
        }
        let tag = "\"\(picture.version)\""
        var headers: HTTPFields = [
            .eTag: tag, .cacheControl: "public, max-age=3600", .contentSecurityPolicy: "default-src 'none'",
        ]
        if call.incoming.has(tag) { return Answer(.notModified, headers: headers) }
        headers[.contentType] = picture.type.rawValue
        call.ration.charge(WorkUnits.bytes(picture.bytes.count))
        return Answer(.ok, headers: headers, body: picture.bytes)
    }

    /// The code of the path, and the list that its page shows.
    private static func find(
        _ call: Call, isForLink: Bool = false
    ) async throws -> (shared: SharedCode, list: LinkedList?) {
        let typed = try call.path.shareCode()
        let (now, server) = (call.now, call.database.server)
        let found = try await call.database.peek { transaction -> (shared: SharedCode, list: LinkedList?)? in
            guard let shared = try SharedCode.find(typed, isForLink: isForLink, in: transaction) else { return nil }
            let links = LinkTransaction(transaction, at: now, on: server)
            return (shared, try shared.listToken.flatMap { try links.linkedListIfAny($0, limit: SharePage.items) })
        }
        if let found { return found }
        throw ServerError(.notFound, "Nobody has the code \(typed.text). Check it.")
    }
}
