package import Foundation
package import KithModel

/// A list as somebody with a public link sees it, with what the page of the link needs besides.
package struct LinkedList: Hashable, Sendable {
    /// What somebody with the link can tick.
    package enum Ticks: Hashable, Sendable {
        /// Nothing.
        case none
        /// The items, for everybody.
        case items
        /// Gifts, which nobody in the list sees. The hashes of the givers, by item: see ``GiftTable``.
        case gifts([ItemID: Data])
        /// Gifts, which the page hides, because its reader is in the list.
        case hiddenGifts
    }

    /// The token of the link.
    package let token: String
    /// The list's identity.
    package let id: ListID
    /// The list, as programs get it: without gifts.
    package let list: PublicList
    /// The ids of its items, in the same order.
    package let items: [ItemID]
    package var ticks: Ticks

    package init(_ list: PublicList, id: ListID, token: String, items: [ItemID], ticks: Ticks = .none) {
        (self.list, self.id, self.token, self.items, self.ticks) = (list, id, token, items, ticks)
    }

    /// The part of a list's live records that strangers see: its items, but no people.
    init(
        _ record: RecordChange?, _ items: [RecordChange], of id: ListID, token: String, isWhole: Bool, server: ServerID,
        ticks: Ticks
    ) {
        let byID = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
        let ordered = items.map { item in
            (id: item.id, key: item.fields?["position"]?.text.flatMap(IndexKey.init))
        }.sorted(by: Arrangement<Never>.isOrdered).compactMap { byID[$0.id] }
        let list = PublicList(
            name: record?.fields?["name"]?.text ?? "",
            modified: (items + [record].compactMap(\.self)).map(\.modified).max() ?? Timestamp(milliseconds: 0),
            items: ordered.map { PublicList.Item($0.fields ?? [:]) }, more: isWhole ? nil : true, server: server)
        self.init(list, id: id, token: token, items: ordered.map { $0.id.retyped() }, ticks: ticks)
    }
}

extension PublicList.Item {
    fileprivate init(_ fields: Fields) {
        let schema = ListItem.schema
        self.init(
            title: fields["title"]?.text ?? "",
            count: schema["count"]?.shown(fields["count"]).integer ?? 1,
            ticked: schema["ticked"]?.shown(fields["ticked"]).flag ?? false,
            category: fields["category"]?.text, comment: fields["comment"]?.text)
    }
}
