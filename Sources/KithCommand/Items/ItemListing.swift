import Kith
package import KithModel

/// The items of one list in a listing. An item's number is its position in the listing.
package struct ItemListing: Sendable {
    package let list: ListSummary
    package let items: [ListItem]
    /// The names of the people in the list.
    package let names: [AccountID: String]

    package init(list: ListSummary, items: [ListItem], names: [AccountID: String] = [:]) {
        self.list = list
        self.items = items
        self.names = names
    }

    /// The listing of a list as it is now.
    init(of list: SharedList, in client: KithClient) async throws {
        let items = try await client.lists.items(in: list.id)
        self.init(
            list: ListSummary(list, items: items), items: items, names: try await client.names(in: list.id))
    }

    /// `{"list": …, "items": […]}`, and a table under the list's name. With `onlyOpen`, ticked items are left out, and
    /// the others keep their numbers.
    package func answer(onlyOpen: Bool = false) -> CommandAnswer {
        let shown = items.enumerated().map { (number: $0 + 1, item: $1) }.filter { !(onlyOpen && $0.item.isTicked) }
        return CommandAnswer(
            ["list": list.shape, "items": shown.map { $0.item.shape(number: $0.number, names: names) }]
        ) { colour in
            let table = Table(shown) { $0.item.row(number: $0.number) }
            return [heading(colour: colour)] + table.lines(colour: colour)
        }
    }

    /// The answer of a command that created or changed some of the items: `{"items": […]}` and a sentence.
    func answer(on changed: [ListItem], _ sentence: String) -> CommandAnswer {
        let numbers = Dictionary(items.enumerated().map { ($1.id, $0 + 1) }) { first, _ in first }
        let now = changed.map { item in items.first { $0.id == item.id } ?? item }
        return CommandAnswer(["items": now.map { $0.shape(number: numbers[$0.id], names: names) }], sentence)
    }

    private func heading(colour: Bool) -> String {
        var notes = [items.isEmpty ? "nothing in it" : "\(list.items - list.ticked) of \(list.items) open"]
        if list.list.access != .private { notes.append(list.list.access.rawValue) }
        if list.list.role != .owner { notes.append("you are \(list.list.role.rawValue)") }
        return TextStyle.strong.applied(to: list.list.name.printable, colour: colour) + "  "
            + TextStyle.faint.applied(to: notes.joined(separator: ", "), colour: colour)
    }
}

extension ListItem {
    /// The item for `--json`. `number` is its position in the listing, from 1; nil if there is no listing.
    func shape(number: Int? = nil, names: [AccountID: String] = [:]) -> Shape {
        [
            "number": number, "id": id, "list": listID, "title": title, "count": count, "ticked": isTicked,
            "category": category, "comment": comment, "offer": offer, "creator": creator,
            "creatorName": creator.flatMap { names[$0] }, "modified": modified.date,
        ]
    }

    fileprivate func row(number: Int) -> [Table.Cell] {
        [
            .number(number), isTicked ? Table.Cell("[x]", .good) : "[ ]",
            Table.Cell(title, isTicked ? .faint : .plain), count == 1 ? "" : Table.Cell("×\(count)"),
            Table.Cell(category ?? "", .faint), Table.Cell(comment ?? "", .faint),
        ]
    }
}

extension [ListItem] {
    /// The titles in a sentence: “Milk”, “Tea” and 3 more.
    package var named: String {
        let titles = prefix(3).map { "“\($0.title)”" }.joined(separator: ", ")
        return count > 3 ? "\(titles) and \(count - 3) more" : titles
    }
}
