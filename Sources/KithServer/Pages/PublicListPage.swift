package import KithModel

/// The page of a public link: the list, read-only.
package enum PublicListPage {
    /// The largest number of items on a page.
    package static let items = 1_000

    /// The page.
    package static func page(_ list: PublicList, _ link: PageLink) -> Page {
        let items = list.items.prefix(Self.items).map { item in
            var row: [String: PageValue] = ["title": .text(item.title), "ticked": .flag(item.ticked)]
            if item.count != 1 { row["count"] = .text(String(item.count)) }
            row["comment"] = item.comment.map(PageValue.text)
            return row
        }
        return Page(
            .list, title: .titled(list.name, "offer.read"),
            [
                "name": .text(list.name), "changed": .dated("public.changed", list.modified), "items": .rows(items),
                "isEmpty": .flag(items.isEmpty), "more": .flag(list.more ?? false || list.items.count > Self.items),
                "app": .text(PageLink.opening(link.publicAddress)),
                "command": .text("kith lists read \(link.publicAddress)"),
            ])
    }
}
