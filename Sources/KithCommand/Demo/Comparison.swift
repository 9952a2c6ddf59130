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

    /// Every item that any of the three has: “ 12 ✓✓✓ ☑ Tea ×3”, in as many columns as fit into `width`, read downwards.
    ///
    /// The marks are the phone's, the tablet's and the server's: ✓ has it, in every field and in its place, as the
    /// server has it; ✗ has it otherwise; – has it not.
    package func rows(width: Int) -> [String] {
        let known = Set(server.map(\.id))
        let others = phone + tablet.filter { item in !phone.contains { $0.id == item.id } }
        let all = server + others.filter { !known.contains($0.id) }
        let places = [phone, tablet, server].map { items in
            Dictionary(uniqueKeysWithValues: items.enumerated().map { ($1.id, Place(number: $0 + 1, item: $1)) })
        }
        let cells = all.map { item in
            let found = places.map { $0[item.id] }
            let marks = found.map { $0 == nil ? "–" : $0 == found[2] ? "✓" : "✗" }.joined()
            let number = found[2].map { String($0.number) } ?? "–"
            let padding = String(repeating: " ", count: max(0, 4 - number.count))
            let count = item.count == 1 ? "" : "×\(item.count) "
            return "\(padding)\(number) \(marks) \(item.isTicked ? "☑" : "☐") \(count)\(item.title.printable)"
        }
        let columns = max(1, width / Self.narrowest)
        let height = (cells.count + columns - 1) / columns
        return (0..<height).map { row in
            let line = stride(from: row, to: cells.count, by: height).map { cells[$0].fitted(to: width / columns - 1) }
            return String(line.joined(separator: " ").reversed().drop { $0 == " " }.reversed())
        }
    }

    /// The narrowest column that most items can be known in.
    private static let narrowest = 38

    private struct Place: Hashable {
        let number: Int
        let item: ListItem
    }

    /// What the story ends with.
    ///
    /// - Throws: ``Failure`` with what differs, unless all three are equal.
    package func verdict() throws -> String {
        let differences = differences
        if !differences.isEmpty {
            throw Failure(.failed, "demo", "The three are not equal:", candidates: Array(differences.prefix(40)))
        }
        let count = server.count
        return "\(count) of \(count) items are equal on phone, tablet and server: every field, and the order"
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
        let key = "Every item: ✓ the same on phone, tablet, server (in this order), ✗ not the same, – not there"
        try timeline.print([timeline.look(key, .strong)] + comparison.rows(width: timeline.columns) + [""])
        let verdict = try comparison.verdict()
        let lists = try await [phone, tablet, fresh].asyncMap { try await $0.lists.list(list.id) }
        try expect(
            Set(lists.map { [$0?.name, $0?.kind, $0?.access.rawValue] }).count == 1, "The list itself is equal too.")
        let waiting = try await [phone, tablet].asyncMap { try await $0.client.status().waiting }
        try expect(waiting == [0, 0], "Nothing is waiting.")
        try timeline.say(.all, verdict)
        shown[3] = verdict + "."
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
