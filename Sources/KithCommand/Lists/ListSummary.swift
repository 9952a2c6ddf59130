import Kith
package import KithModel

/// A list and its progress, as listings show them.
package struct ListSummary: Sendable {
    package let list: SharedList
    package let items: Int
    package let ticked: Int

    package init(list: SharedList, items: Int, ticked: Int) {
        self.list = list
        self.items = items
        self.ticked = ticked
    }

    init(_ list: SharedList, items: [ListItem]) {
        self.init(list: list, items: items.count, ticked: items.count { $0.isTicked })
    }

    package var shape: Shape { list.shape(items: items, ticked: ticked) }

    /// The answer of a command that created or changed the list: `{"list": …}` and a sentence.
    func answer(_ sentence: String) -> CommandAnswer { CommandAnswer(["list": shape], sentence) }

    /// `{"lists": […]}`, and a table. `elsewhere` counts the lists of other accounts on the device.
    package static func answer(_ summaries: [ListSummary], elsewhere: Int = 0) -> CommandAnswer {
        CommandAnswer(["lists": summaries.map(\.shape)]) { colour in
            if summaries.isEmpty && elsewhere > 0 {
                let other = elsewhere == 1 ? "1 list is" : "\(elsewhere) lists are"
                return [
                    "No lists in this account. \(other) in other accounts on this device: kith lists --all-accounts"
                ]
            }
            if summaries.isEmpty {
                return ["No lists here yet. Make one: kith lists create NAME. Fetch those on the server: kith sync"]
            }
            let ids = ShortIDs(summaries.map(\.list.id))
            return Table(header: ["Name", "Open", "Items", "Access", "Role", "Id"], summaries) { summary in
                let list = summary.list
                return [
                    Table.Cell(list.name), .number(summary.items - summary.ticked), .number(summary.items),
                    list.access == .private ? "" : Table.Cell(list.access.rawValue),
                    list.role == .owner ? "" : Table.Cell(list.role.rawValue), Table.Cell(ids[list.id], .faint),
                ]
            }.lines(colour: colour)
        }
    }
}

extension Lists {
    /// A list and its progress.
    func summary(of list: SharedList, within scope: AccountScope? = nil) async throws -> ListSummary {
        ListSummary(list, items: try await items(in: list.id, within: scope))
    }
}

extension SharedList {
    /// The list for `--json`. The counts are nil if the items were not counted.
    func shape(items: Int? = nil, ticked: Int? = nil) -> Shape {
        [
            "id": id, "name": name, "kind": kind, "theme": theme, "access": access.rawValue, "role": role,
            "modified": modified.date, "items": items, "ticked": ticked,
        ]
    }
}
