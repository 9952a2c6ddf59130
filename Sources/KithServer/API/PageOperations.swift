import Foundation
import HTTPTypes
import KithModel

/// The pages that links open in a browser, and the files with which the system opens links in an app instead.
enum PageOperations {
    /// The page of a link.
    static func preview(_ call: Call, _ kind: PageLink.Kind) async throws -> Answer {
        call.answer(try await call.api.pages.links.preview(try call.link(kind), at: call.now))
    }

    /// The forms of the page of a list's link.
    static func sendLinkForm(_ call: Call) async throws -> Answer { try await sendForm(call, .list) }

    /// The forms of the page of an invitation.
    static func sendInvitationForm(_ call: Call) async throws -> Answer { try await sendForm(call, .invitation) }

    private static func sendForm(_ call: Call, _ kind: PageLink.Kind) async throws -> Answer {
        let link = try call.link(kind)
        guard let fields = try await call.form() else { return call.foreignForm }
        guard let form = LinkForm(fields) else { throw ServerError.unreadableForm }
        return call.answer(try await call.api.pages.links.answer(form, link, by: call.visitor, at: call.now))
    }

    static func showPairing(_ call: Call) async throws -> Answer {
        call.answer(PairingPage.page(appPage: call.api.pages.links.appPage))
    }

    /// Shows a file of the pages. Nothing in it runs or loads anything if somebody opens it as a page.
    static func show(_ file: PageFile) -> APIOperation.Handler {
        { _ in
            Answer(
                .ok,
                headers: [
                    .contentType: file.type, .cacheControl: "public, max-age=86400",
                    .contentSecurityPolicy: "default-src 'none'",
                ], body: file.bytes)
        }
    }

    static func showAppleApps(_ call: Call) async throws -> Answer {
        try Answer(json: try AppAssociation.apple(call.api.pages.apps, root: call.api.origin.root))
    }

    static func showAndroidApps(_ call: Call) async throws -> Answer {
        try Answer(json: try AppAssociation.android(call.api.pages.apps))
    }
}

extension Call {
    /// A page as an answer.
    func answer(_ page: Page) -> Answer { api.pages.answer(page, to: incoming, api.origin) }

    fileprivate func link(_ kind: PageLink.Kind) throws -> PageLink {
        PageLink(kind, token: try path.token(), origin: api.origin.text)
    }
}
