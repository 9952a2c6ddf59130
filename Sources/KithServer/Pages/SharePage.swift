import Foundation
package import KithModel

/// The page of a share link: the programme, who has shared and their own text, and the ways to join with the code.
///
/// If what is shared has a list, the page shows it. Its only forms are the buttons of a list that can tick; without one, it
/// has no form and sets no cookie. If the app must first be installed, the friend takes the code along. A script, which the
/// page does not need, copies the code.
package struct SharePage: Hashable, Sendable {
    private let shared: SharedCode
    private let channel: ShareChannel?
    private let origin: String
    private let appPage: String?
    private let hasSignIn: Bool
    private let languages: [String]
    private let list: LinkedList?
    private let giver: String?
    private let ticket: PageTicket?
    private let refusal: TickRefusal?

    /// The largest number of items that the page shows. The page of the list's link has more.
    package static let items = 100

    /// The page of a code that somebody has.
    ///
    /// - Parameters:
    ///   - shared: The code.
    ///   - channel: How the link was shared; nil if it does not say so. The ways to join take it along.
    ///   - origin: The public address of the server.
    ///   - appPage: Where people get the app, if the operator has named a page.
    ///   - hasSignIn: Whether people can join in the browser.
    ///   - languages: The languages of the texts of the programme, most wanted first.
    ///   - list: The list of what is shared; nil for none.
    ///   - giver: The secret of the browser, if it has given something of a wish list; see ``GiftTable``.
    ///   - ticket: The ticket of the forms of a wish list, for a browser that has given nothing.
    ///   - refusal: What to say about the form of an item, if one was sent.
    package init(
        _ shared: SharedCode, by channel: ShareChannel? = nil, origin: String, appPage: String?, hasSignIn: Bool,
        languages: [String], list: LinkedList? = nil, giver: String? = nil, ticket: PageTicket? = nil,
        refusal: TickRefusal? = nil
    ) {
        (self.shared, self.channel, self.origin, self.appPage) = (shared, channel, origin, appPage)
        (self.hasSignIn, self.languages) = (hasSignIn, languages)
        (self.list, self.giver, self.ticket, self.refusal) = (list, giver, ticket, refusal)
    }

    /// Where the link of a code leads instead of the page; nil if it shows the page.
    ///
    /// - Parameters:
    ///   - shared: The code.
    ///   - channel: How the link was shared; nil if it does not say so.
    /// - Returns: The operator's address, with the code and the channel.
    package static func redirect(_ shared: SharedCode, by channel: ShareChannel?) -> String? {
        let programme = shared.programme
        guard programme.leadsElsewhere, let url = programme.url else { return nil }
        return address(url, with: ShareLink(shared.code, channel: channel))
    }

    /// Whether many people see the same page, so that it pays to keep it as it was rendered. A list changes often, and shows
    /// to each browser what it gives.
    var isForMany: Bool { list == nil }

    /// The page.
    package var page: Page {
        let programme = shared.programme
        let title = Programme.text(programme.title, in: languages)
        let address = ShareLink(shared.code).address(server: origin)
        let link = ShareLink(shared.code, channel: channel)
        var values: [String: PageValue] = [
            "heading": .text(title), "headingLanguage": language(of: programme.title), "address": .text(address),
            "app": .text(PageLink.opening(link.address(server: origin))), "paused": .flag(programme.isPaused),
            "ways": ways,
        ]
        values["name"] = shared.advocate.map(PageValue.text)
        // The text, the picture and the code of a paused programme would promise what nobody gets.
        if !programme.isPaused { values.merge(offer(address)) { $1 } }
        var page = Page(.share, title: .titled(title, "share.title"), values)
        if !programme.isPaused { page.scripts = [.copy] }
        if let list {
            // Relative addresses, as the page does not know below which path a proxy serves it.
            let path = "../v1/public/\(list.token)"
            page.values["listName"] = .text(list.list.name)
            page.values["listAddress"] = .text(path)
            page.values["error"] = refusal?.phrase(giver: giver)
            page.show(list, giver: giver, ticket: ticket, events: "\(path)/events", action: path, share: link)
        }
        return page
    }

    /// The ways to join. The first one is the main one.
    private var ways: PageValue {
        let programme = shared.programme
        let link = ShareLink(shared.code, channel: channel)
        var ways: [(address: String, text: String)] = []
        if let url = programme.url { ways.append((Self.address(url, with: link), "share.join")) }
        if hasSignIn {
            let query = programme.isPaused ? "" : link.query
            ways.append(("\(origin)/sign-in\(query)", ways.isEmpty ? "share.join" : "share.here"))
        }
        if let appPage {
            ways.append((programme.isPaused ? appPage : store(appPage, with: link), "app.get"))
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
        values["content"] = shared.content.map(PageValue.lines)
        if let version = shared.picture {
            values["imageVersion"] = .text(version)
            values["image"] = .text("\(address)/picture?v=\(version)")
        }
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

    /// The page of the app with the link, if it is in Google's store: the store passes the parameter `referrer` on to the
    /// app that it installs.
    private func store(_ page: String, with link: ShareLink) -> String {
        guard let url = URL(string: page), url.host() == "play.google.com" else { return page }
        return Self.address(url, adding: [(name: "referrer", value: link.address(server: origin))])
    }

    /// The operator's address with the code as the parameter `code`, and the channel as `c`.
    private static func address(_ url: URL, with link: ShareLink) -> String {
        var parameters = [(name: "code", value: link.code.text)]
        if let channel = link.channel { parameters.append((name: "c", value: channel.rawValue)) }
        return address(url, adding: parameters)
    }

    /// An address with further parameters, behind its own and before its fragment.
    private static func address(_ url: URL, adding parameters: [(name: String, value: String)]) -> String {
        let text = url.absoluteString
        let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        var address = String(text[..<fragment])
        var separator = address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        for parameter in parameters {
            address += "\(separator)\(parameter.name)=\(parameter.value.percentEncoded)"
            separator = "&"
        }
        return address + text[fragment...]
    }
}
