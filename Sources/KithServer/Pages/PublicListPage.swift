import Foundation
import KithModel

/// The page of a public link: the list, and buttons that tick its items if the link permits that.
package enum PublicListPage {
    /// The largest number of items on a page.
    package static let items = 1_000

    /// The page.
    ///
    /// - Parameters:
    ///   - linked: The list of the link.
    ///   - link: The link.
    ///   - giver: The secret of the browser, if it has given something; see ``GiftTable``.
    ///   - ticket: The ticket of the forms, for a browser that has given nothing.
    ///   - error: What is wrong with the last tick.
    /// - Returns: The page.
    package static func page(
        _ linked: LinkedList, _ link: PageLink, giver: String? = nil, ticket: PageTicket? = nil,
        error: PageValue? = nil
    ) -> Page {
        let list = linked.list
        var page = Page(
            .list, title: .titled(list.name, "offer.read"),
            [
                "name": .text(list.name), "changed": .dated("public.changed", list.modified),
                "app": .text(PageLink.opening(link.publicAddress)),
                "command": .text("kith lists read \(link.publicAddress)"),
            ])
        page.values["error"] = error
        page.show(linked, giver: giver, ticket: ticket, events: "\(linked.token)/events")
        return page
    }

    /// The id of an item in the page.
    static func anchor(of item: ItemID) -> String { "item-\(item)" }

    /// The id of an item in a page without buttons, which does not reveal the item's id, and when it was made.
    static func name(of item: ItemID) -> String { "item-\(Secret.sha256(anchor(of: item)).prefix(9).base64URL)" }
}

extension Page {
    /// Shows the items of a list, which the template `items` has, and keeps them current with a script.
    ///
    /// - Parameters:
    ///   - linked: The list.
    ///   - giver: The secret of the browser, if it has given something.
    ///   - ticket: The ticket of the forms, for a browser that has given nothing.
    ///   - events: The address of the list's events, relative to the page.
    ///   - action: The address to which the buttons send, relative to the page; nil for that of the page itself.
    ///   - share: The link of the page, if it is that of a share link.
    mutating func show(
        _ linked: LinkedList, giver: String?, ticket: PageTicket?, events: String, action: String? = nil,
        share: ShareLink? = nil
    ) {
        let own = giver.map { GiftTable.giver($0, of: linked.id) }
        let rows = zip(linked.list.items, linked.items).prefix(PublicListPage.items).map { item, id in
            linked.row(item, id, giver: own)
        }
        let isWhole = !(linked.list.more ?? false) && linked.list.items.count <= PublicListPage.items
        values["items"] = .rows(rows)
        values["isEmpty"] = .flag(rows.isEmpty)
        values["more"] = .flag(!isWhole)
        values["rules"] = .phrase(linked.rules)
        values["events"] = .text(events)
        values["action"] = action.map(PageValue.text)
        if giver == nil, case .gifts = linked.ticks { values["ticket"] = ticket.map { .text($0.text) } }
        values["share"] = share.map { .text($0.code.text) }
        values["channel"] = share?.channel.map { PageValue.text($0.rawValue) }
        scripts.append(.list)
    }
}

extension LinkedList {
    /// What somebody with the link can do, in the words of a page.
    fileprivate var rules: String {
        switch ticks {
        case .none: "public.text"
        case .items: "public.ticks"
        case .gifts: "public.gifts"
        case .hiddenGifts: "public.hidden"
        }
    }

    /// The values of an item. `giver` is the hash of the browser's secret.
    ///
    /// A box that shows whether the item is ticked is in the button that ticks. In front of the item, people would press the
    /// box, so it is there only on a page without buttons. A gift has no box.
    fileprivate func row(_ item: PublicList.Item, _ id: ItemID, giver: Data?) -> [String: PageValue] {
        let anchor = ticks == .none ? PublicListPage.name(of: id) : PublicListPage.anchor(of: id)
        var row: [String: PageValue] = [
            "title": .text(item.title), "ticked": .flag(item.ticked), "anchor": .text(anchor),
            "box": .flag(ticks == .none || ticks == .hiddenGifts), "boxInside": .flag(ticks == .items),
        ]
        if item.count != 1 { row["count"] = .text(String(item.count)) }
        row["comment"] = item.comment.map(PageValue.text)
        var button: (text: String, next: String)?
        switch ticks {
        case .none, .hiddenGifts: break
        case .items:
            button = item.ticked ? (text: "public.untick", next: "no") : (text: "public.tick", next: "yes")
        case .gifts(let givers):
            if let known = givers[id] {
                let isMine = known == giver
                row[isMine ? "mine" : "taken"] = .flag(true)
                if isMine { button = (text: "public.takeBack", next: "no") }
            } else if !item.ticked {
                button = (text: "public.give", next: "yes")
            }
        }
        if let button {
            row["button"] = .phrase(button.text)
            row["next"] = .text(button.next)
            row["item"] = .text(id.description)
        }
        return row
    }
}
