import Foundation
import KithModel
import Synchronization

/// The page of a share link: the programme, who has shared, and the ways to join with the code.
///
/// If what is shared has a list, the page shows it. Its only forms are the buttons of a list that can tick; without one, it
/// has no form and sets no cookie. If the app must first be installed, the friend takes the code along. A script, which the
/// page does not need, copies the code.
package struct SharePage: Sendable {
    private let shared: SharedCode
    private let origin: String
    private let appPage: String?
    private let hasSignIn: Bool
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
    ///   - hasSignIn: Whether people can join in the browser.
    ///   - languages: The languages of the texts of the programme, most wanted first.
    ///   - list: The list of what is shared; nil for none.
    ///   - giver: The secret of the browser, if it has given something of a wish list; see ``GiftRow``.
    package init(
        _ shared: SharedCode, origin: String, appPage: String?, hasSignIn: Bool, languages: [String],
        list: LinkedList? = nil, giver: String? = nil
    ) {
        (self.shared, self.origin, self.appPage) = (shared, origin, appPage)
        (self.hasSignIn, self.languages) = (hasSignIn, languages)
        (self.list, self.giver) = (list, giver)
    }

    /// Where the link of a code leads instead of the page; nil if it shows the page.
    package static func redirect(_ shared: SharedCode) -> String? {
        let programme = shared.programme
        guard programme.leadsElsewhere, let url = programme.url else { return nil }
        return address(url, with: shared.code)
    }

    /// The page.
    package var page: Page {
        let programme = shared.programme
        let title = Programme.text(programme.title, in: languages)
        let address = ShareLink(shared.code).address(server: origin)
        var values: [String: PageValue] = [
            "heading": .text(title), "headingLanguage": language(of: programme.title), "address": .text(address),
            "app": .text(PageLink.opening(address)), "paused": .flag(programme.isPaused), "ways": ways,
        ]
        values["name"] = shared.advocate.map(PageValue.text)
        // The text, the picture and the code of a paused programme would promise what nobody gets.
        if !programme.isPaused { values.merge(offer(address)) { $1 } }
        var page = Page(.share, title: .titled(title, "share.title"), values)
        if !programme.isPaused { page.scripts = [.copy] }
        page.isForMany = list == nil
        if let list {
            // Relative addresses, as the page does not know below which path a proxy serves it.
            let path = "../v1/public/\(list.token)"
            page.values["listName"] = .text(list.list.name)
            page.values["listAddress"] = .text(path)
            page.show(list, giver: giver, events: "\(path)/events", action: path, share: shared.code)
        }
        return page
    }

    /// The ways to join. The first one is the main one.
    private var ways: PageValue {
        let programme = shared.programme
        var ways: [(address: String, text: String)] = []
        if let url = programme.url { ways.append((Self.address(url, with: shared.code), "share.join")) }
        if hasSignIn {
            let query = programme.isPaused ? "" : "?share=\(shared.code.text)"
            ways.append(("\(origin)/sign-in\(query)", ways.isEmpty ? "share.join" : "share.here"))
        }
        if let appPage {
            ways.append((programme.isPaused ? appPage : Self.store(appPage, with: shared.code), "app.get"))
        }
        return .rows(
            ways.enumerated().map { index, way in
                ["address": .text(way.address), "name": .phrase(way.text), "quiet": .flag(index > 0)]
            })
    }

    private func offer(_ address: String) -> [String: PageValue] {
        let text = Programme.text(shared.programme.text, in: languages)
        var values: [String: PageValue] = [
            "text": .lines(text), "textLanguage": language(of: shared.programme.text),
            "description": .text(String(text.prefix(300))), "code": .text(shared.code.text),
            "picture": .text("\(address)/qr.svg"),
            "command": .text("kith --server \(origin) share use \(shared.code.text)"),
        ]
        if let version = shared.picture {
            values["imageVersion"] = .text(version)
            values["image"] = .text("\(address)/picture?v=\(version)")
        }
        // People scan the code from the screen of somebody else.
        if let code = ShownQRCodes.code(of: ShareLink(shared.code, channel: .scan).address(server: origin)) {
            values["qr"] = .text(code.path)
            values["size"] = .number(code.width)
        }
        return values
    }

    private func language(of texts: Programme.Texts) -> PageValue {
        .text(Programme.language(of: texts, in: languages) ?? "")
    }

    /// The page of the app with the code, if it is in Google's store: the store passes the parameter `referrer` on to the
    /// app that it installs.
    private static func store(_ page: String, with code: ShareCode) -> String {
        guard let url = URL(string: page), url.host() == "play.google.com" else { return page }
        return address(url, with: code, as: "referrer")
    }

    /// An address of the operator with the code as a parameter. A code has only letters, digits and hyphens.
    private static func address(_ url: URL, with code: ShareCode, as parameter: String = "code") -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return url.absoluteString }
        parts.percentEncodedQueryItems =
            (parts.percentEncodedQueryItems ?? []) + [URLQueryItem(name: parameter, value: code.text)]
        return parts.string ?? url.absoluteString
    }
}

/// The QR codes that pages have shown lately, because making one takes longer than much of the rest of a page.
private enum ShownQRCodes {
    /// The data of a path, and the width of the picture.
    private struct Picture {
        let path: String
        let width: Int
    }

    private static let known = Mutex<[String: Picture]>([:])
    /// Beyond it, all are made again.
    private static let most = 1_000

    /// The code of a text; nil if it is too long for one.
    static func code(of text: String) -> (path: String, width: Int)? {
        if let picture = known.withLock({ $0[text] }) { return (picture.path, picture.width) }
        guard let code = QRCode(text) else { return nil }
        let picture = Picture(path: code.path, width: code.pictureWidth)
        known.withLock { known in
            if known.count >= most { known.removeAll() }
            known[text] = picture
        }
        return (picture.path, picture.width)
    }
}
