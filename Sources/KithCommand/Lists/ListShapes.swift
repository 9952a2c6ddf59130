import Foundation
import Kith
package import KithModel

/// A list and how far it is done, as listings show it.
package struct ListSummary: Sendable {
    package let list: SharedList
    package let items: Int
    package let ticked: Int

    package init(list: SharedList, items: Int, ticked: Int) {
        self.list = list
        self.items = items
        self.ticked = ticked
    }

    package var json: JSON { list.json(items: items, ticked: ticked) }

    /// `{"lists": […]}`, and a table. `elsewhere` counts the lists of other accounts on the device.
    package static func answer(_ summaries: [ListSummary], elsewhere: Int = 0) -> CommandAnswer {
        CommandAnswer(.object(["lists": .list(summaries, \.json)])) { colour in
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
            var table = Table(header: ["Name", "Open", "Items", "Access", "Role", "Id"])
            for summary in summaries {
                let list = summary.list
                table.add([
                    Table.Cell(list.name), .number(summary.items - summary.ticked), .number(summary.items),
                    list.access == .private ? "" : Table.Cell(list.access.rawValue),
                    list.role == .owner ? "" : Table.Cell(list.role.rawValue), Table.Cell(ids[list.id], .faint),
                ])
            }
            return table.lines(colour: colour)
        }
    }
}

extension CommandContext {
    func summary(of list: SharedList) async throws -> ListSummary {
        let items = try await lists.items(in: list.id)
        return ListSummary(list: list, items: items.count, ticked: items.count { $0.isTicked })
    }

    /// The answer of a command that made or changed a list: `{"list": …}` and a sentence.
    func answer(_ list: SharedList, _ sentence: String) async throws -> CommandAnswer {
        CommandAnswer(.object(["list": try await summary(of: list).json]), sentence)
    }
}

extension SharedList {
    /// The list as JSON; the counts are null where nobody counted.
    package func json(items: Int? = nil, ticked: Int? = nil) -> JSON {
        .object([
            "id": .text(id.description), "name": .text(name), "kind": .text(kind), "theme": .text(orNull: theme),
            "access": .text(access.rawValue), "role": .text(role.rawValue), "modified": .moment(modified.date),
            "items": items.map(JSON.count) ?? .null, "ticked": ticked.map(JSON.count) ?? .null,
        ])
    }
}
