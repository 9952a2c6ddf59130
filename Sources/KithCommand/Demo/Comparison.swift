import Kith
package import KithModel

/// One list as three have it, item by item.
package struct Comparison: Sendable {
    let phone: [ListItem]
    let tablet: [ListItem]
    let server: [ListItem]

    package init(phone: [ListItem], tablet: [ListItem], server: [ListItem]) {
        self.phone = phone
        self.tablet = tablet
        self.server = server
    }

    /// What is not equal, a line each; empty if all three are.
    package var differences: [String] {
        var differences: [String] = []
        let ids = Set((phone + tablet + server).map(\.id)).sorted()
        for id in ids {
            let found = [phone, tablet, server].map { items in items.first { $0.id == id } }
            guard Set(found).count > 1 else { continue }
            for (who, item) in zip(["phone", "tablet", "server"], found) {
                differences.append("\(who): \(item.map { "\($0)" } ?? "nothing")")
            }
        }
        if phone.map(\.id) != server.map(\.id) { differences.append("The phone has another order than the server.") }
        if tablet.map(\.id) != server.map(\.id) { differences.append("The tablet has another order than the server.") }
        return differences
    }

    /// A table of the items that something happened to, as each of the three has them.
    func table(of touched: [(ListItem, String)]) -> Table {
        var table = Table(header: ["Item", "phone", "tablet", "server", "What happened"])
        for (item, what) in touched {
            let title = (server.first { $0.id == item.id } ?? item).title
            let cells = [phone, tablet, server].map { items in Table.Cell(Self.cell(item.id, items)) }
            table.add([Table.Cell(title)] + cells + [Table.Cell(what, .faint)])
        }
        return table
    }

    /// “#12 ☑ ×3”: place, tick and count.
    private static func cell(_ id: ItemID, _ items: [ListItem]) -> String {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return "gone" }
        return "#\(index + 1) \(items[index].isTicked ? "☑" : "☐") ×\(items[index].count)"
    }
}

extension Story {
    /// Reads the list in three places and ends the story badly unless all are equal.
    mutating func compare(_ list: SharedList, _ cast: Cast, _ apart: Apart) async throws {
        try timeline.chapter("The end: one list, read in three places")
        let fresh = try await freshDevice()
        let comparison = Comparison(
            phone: try await phone.lists.items(in: list.id), tablet: try await tablet.lists.items(in: list.id),
            server: try await fresh.lists.items(in: list.id))
        try timeline.say(.fresh, "signs in as the phone, with nothing on it, and so has what the server has")
        let touched = [
            (cast.seenTicked, "ticked while both looked on"),
            (cast.seenCounted, "counted up while both looked on"),
            (cast.renamedAndTicked, "renamed here, ticked there"),
            (cast.countedTwice, "counted up on both"),
            (cast.titledTwice, "titled on both"),
            (cast.firstOfPhone, "put first by the phone"),
            (cast.firstOfTablet, "put first by the tablet"),
            (cast.lastOfTablet, "put last by the tablet"),
            (cast.removedAndEdited, "removed here, edited there"),
            (cast.removedTwice, "removed on both"),
            (apart.addedByPhone, "added by the phone"),
            (apart.addedByTablet, "added by the tablet"),
        ]
        try timeline.print([""] + timeline.lines(of: comparison.table(of: touched)) + [""])
        let differences = comparison.differences
        if !differences.isEmpty {
            throw Failure(.failed, "demo", "The three are not equal:", candidates: Array(differences.prefix(40)))
        }
        let lists = try await [phone, tablet, fresh].asyncMap { try await $0.lists.list(list.id) }
        try expect(
            Set(lists.map { [$0?.name, $0?.kind, $0?.access.rawValue] }).count == 1, "The list itself is equal too.")
        let waiting = try await [phone, tablet].asyncMap { try await $0.client.status().waiting }
        try expect(waiting == [0, 0], "Nothing is waiting.")
        let count = comparison.server.count
        try timeline.say(
            .all, "\(count) of \(count) items are equal on phone, tablet and server: every field, and the order")
        shown[3] = "\(count) of \(count) items equal on both devices and the server, every field, and the order."
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
