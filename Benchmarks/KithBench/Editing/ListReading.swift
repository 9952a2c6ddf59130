import BenchReport
import Foundation
import Kith
import KithModel

/// Reading a list as Swift values, as an app does when it shows the list.
enum ListReading {
    static func measure(_ run: Run) async throws {
        let count = run.size(1_000, smoke: 100)
        let client = try KithClient(KithConfiguration(storage: .directory(run.folder)))
        let floor = Floor(path: run.folder.appending(path: "floor.sqlite").path())
        floor.createTables()
        let list = try await client.lists.create("Groceries").id
        try await client.lists.add((0..<count).map { ItemDraft(title: "Item \($0)") }, to: list)
        let creator = UUID().data
        floor.run("BEGIN IMMEDIATE")
        for (index, position) in IndexKey.spread(count).enumerated() {
            floor.insertItem(
                list: list.uuid.data, id: UUID().data, title: "Item \(index)", position: position.text, creator: creator
            )
        }
        floor.run("COMMIT")

        var (kith, awaited, plain) = (Samples(), Samples(), Samples())
        for _ in 0..<run.size(500, smoke: 20) {
            let rows = plain.time { floor.readList(list.uuid.data).count }
            let items = try kith.time { try client.replica.items(in: list).count }
            let start = ContinuousClock.now
            let same = try await client.lists.items(in: list).count
            awaited.append(.now - start)
            try Mismatch.unless(rows == count && items == count && same == count, "Items are missing.")
        }
        run.line(
            "a list of \(count.grouped) items read as Swift values, p50", .time(kith.p50),
            beside: .init(Floor.name, .time(plain.p50)), wanted: .atMostTimes(1.5))
        run.line(
            "  the same through `client.lists.items`, p50", .time(awaited.p50),
            beside: .init(Floor.name, .time(plain.p50)))
    }
}
