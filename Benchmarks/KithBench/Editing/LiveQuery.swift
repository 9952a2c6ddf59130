import BenchReport
import Foundation
import Kith
import KithModel

/// An app that observes a list and edits it: the time from the call of the edit to the delivery of the new list.
enum LiveQuery {
    static func measure(_ run: Run) async throws {
        let count = run.size(1_000, smoke: 100)
        let client = try KithClient(KithConfiguration(storage: .directory(run.folder)))
        let list = try await client.lists.create("Groceries").id
        let items = try await client.lists.add((0..<count).map { ItemDraft(title: "Item \($0)") }, to: list)
        var lists = client.lists.liveItems(in: list).makeAsyncIterator()
        let first = await lists.next()
        try Mismatch.unless(first?.count == count, "The first list is not whole.")
        var (delivered, edited) = (Samples(), Samples())
        for number in 0..<run.size(500, smoke: 20) {
            let (item, title) = (items[number * 7 % count].id, "Changed \(number)")
            let start = ContinuousClock.now
            try await client.lists.update(item, in: list) { $0.title = title }
            let stored = ContinuousClock.now
            let now = await lists.next()
            delivered.append(.now - start)
            edited.append(stored - start)
            let isNew = now?.count == count && now?.first { $0.id == item }?.title == title
            try Mismatch.unless(isNew, "The delivered list is not the edited one.")
        }
        run.line(
            "one of \(count.grouped) items edited: the observer has the new list, p50", .time(delivered.p50),
            wanted: .atMost(.milliseconds(3)))
        run.line("one of \(count.grouped) items edited under observation: it is durable, p50", .time(edited.p50))
    }
}
