import Foundation
import KithModel

/// The page of a share link: the programme, who has shared, and the ways to join with the code.
///
/// If what is shared has a list, the page shows it. Its only forms are the buttons of a list that can tick; without one, it
/// has no form and sets no cookie. If the app must first be installed, the friend takes the code along.
package struct SharePage: Sendable {
    private let shared: SharedCode
    private let origin: String
    private let appPage: String?
    private let languages: [String]
    private let list: LinkedList?
    private let giver: String?

    /// The largest number of items that the page shows. The page of the list's link has more.
    static let items = 100

    /// The page of a code that somebody has.
    ///
    /// - Parameters:
    ///   - shared: The code.
    ///   - origin: The public address of the server.
    ///   - appPage: Where people get the app, if the operator has named a page.
    ///   - languages: The languages of the texts of the programme, most wanted first.
    ///   - list: The list of what is shared; nil for none.
    ///   - giver: The secret of the browser, if it has given something of a wish list; see ``GiftRow``.
    package init(
        _ shared: SharedCode, origin: String, appPage: String?, languages: [String], list: LinkedList? = nil,
        giver: String? = nil
    ) {
        (self.shared, self.origin, self.appPage, self.languages) = (shared, origin, appPage, languages)
        (self.list, self.giver) = (list, giver)
    }

    /// The page.
    package var page: Page {
        let programme = shared.programme
        let title = Programme.text(programme.title, in: languages)
        let address = ShareLink(shared.code).address(server: origin)
        var values: [String: PageValue] = [
            "heading": .text(title), "headingLanguage": language(of: programme.title), "address": .text(address),
            "app": .text(PageLink.opening(address)), "paused": .flag(programme.isPaused),
        ]
        values["name"] = shared.advocate.map(PageValue.text)
        if let url = programme.url {
            values["join"] = .text(Self.address(url, with: shared.code))
            values["joinText"] = .phrase("share.join")
        } else if let appPage {
            values["join"] = .text(appPage)
            values["joinText"] = .phrase("app.get")
        }
        // The text and the code of a paused programme would promise what nobody gets.
        if !programme.isPaused { values.merge(offer(address)) { $1 } }
        var page = Page(.share, title: .titled(title, "share.title"), values)
        if let list {
            // Relative addresses, as the page does not know below which path a proxy serves it.
            let path = "../v1/public/\(list.token)"
            page.values["listName"] = .text(list.list.name)
            page.values["listAddress"] = .text(path)
            page.show(list, giver: giver, events: "\(path)/events", action: path, share: shared.code)
        }
        return page
    }

    private func offer(_ address: String) -> [String: PageValue] {
        let text = Programme.text(shared.programme.text, in: languages)
        var values: [String: PageValue] = [
            "text": .lines(text), "textLanguage": language(of: shared.programme.text),
            "description": .text(String(text.prefix(300))), "code": .text(shared.code.text),
            "picture": .text("\(address)/qr.svg"),
            "command": .text("kith --server \(origin) share use \(shared.code.text)"),
        ]
        // People scan the code from the screen of somebody else.
        if let code = QRCode(ShareLink(shared.code, channel: .scan).address(server: origin)) {
            values["qr"] = .text(code.path)
            values["size"] = .number(code.pictureWidth)
        }
        return values
    }

    private func language(of texts: Programme.Texts) -> PageValue {
        .text(Programme.language(of: texts, in: languages) ?? "")
    }

    /// The operator's address with the code as a parameter. A code has only letters, digits and hyphens.
    private static func address(_ url: URL, with code: ShareCode) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return url.absoluteString }
        parts.percentEncodedQueryItems =
            (parts.percentEncodedQueryItems ?? []) + [URLQueryItem(name: "code", value: code.text)]
        return parts.string ?? url.absoluteString
    }
}
