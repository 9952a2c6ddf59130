import BenchReport
import Foundation
import Kith
import KithModel

/// A device that adds items to a list: each is a row and a mutation in the outbox, in one transaction.
///
/// The floor writes the same two rows in one transaction.
struct LocalEdits {
    private let client: KithClient
    private let floor: Floor
    private let list: ListID
    private let creator = UUID().data

    static func measure(_ run: Run) async throws {
        let durable = try LocalEdits(in: run.folder.appending(path: "durable"), isDurable: true)
        let waiting = try await durable.measure(run.size(1_000, smoke: 30))
        run.line(
            "local edit, durable (synchronous=FULL), p50", .time(waiting.kith.p50),
            beside: .init(Floor.name, .time(waiting.plain.p50)), wanted: .atMostTimes(1.2))
        run.line(
            "  the same through `client.lists.add`, p50", .time(waiting.awaited.p50),
            beside: .init(Floor.name, .time(waiting.plain.p50)))
        let quick = try LocalEdits(in: run.folder.appending(path: "quick"), isDurable: false)
        let times = try await quick.measure(run.size(5_000, smoke: 100))
        run.line(
            "local edit without waiting for the disk (synchronous=OFF), p50", .time(times.kith.p50),
            beside: .init(Floor.name, .time(times.plain.p50)), wanted: .atMostTimes(3))
        run.line(
            "local edit without waiting for the disk (synchronous=OFF), p99", .time(times.kith.p99),
            beside: .init(Floor.name, .time(times.plain.p99)), wanted: .atMostTimes(3))
        run.line(
            "  the same through `client.lists.add`, p50", .time(times.awaited.p50),
            beside: .init(Floor.name, .time(times.plain.p50)))
    }

    private init(in folder: URL, isDurable: Bool) throws {
        client = try KithClient(KithConfiguration(storage: .directory(folder)))
        floor = Floor(path: folder.appending(path: "floor.sqlite").path())
        floor.createTables()
        if !isDurable {
            try client.replica.doNotWaitForDisk()
            floor.run("PRAGMA synchronous = OFF")
        }
        list = try client.replica.writeNow { try Changes($0, isGroup: false).create("Groceries").id }
    }

    /// Adds `count` items in each of three ways, in turns, so that a slow moment of the disk affects all.
    private func measure(_ count: Int) async throws -> (kith: Samples, awaited: Samples, plain: Samples) {
        var (kith, awaited, plain) = (Samples(), Samples(), Samples())
        // The first items are not measured.
        let warm = 20
        for index in -warm..<count {
            if index == 0 { (kith, awaited, plain) = (Samples(), Samples(), Samples()) }
            let title = "Item \(index)"
            // In another order each time, because each way leaves the processor's caches and the disk to the next.
            for turn in 0..<3 {
                switch (warm + index + turn) % 3 {
                case 0: plain.time { addToFloor(title, position: "b\(index)") }
                case 1:
                    try kith.time {
                        try client.replica.writeNow { [list] in try Changes($0, isGroup: false).add(title, to: list) }
                    }
                default:
                    let start = ContinuousClock.now
                    try await client.lists.add(title, to: list)
                    awaited.append(.now - start)
                }
            }
        }
        let wanted = warm + count
        let rows = (floor.count(of: "item"), floor.count(of: "mutation"))
        try Mismatch.unless(rows == (wanted, wanted), "The floor has \(rows) rows.")
        let content = try client.replica.content()
        // The list itself waits too.
        let isWhole = content.items.count == 2 * wanted && content.waiting == 2 * wanted + 1
        try Mismatch.unless(isWhole, "The replica has \(content.items.count) items, and \(content.waiting) edits wait.")
        return (kith, awaited, plain)
    }

    private func addToFloor(_ title: String, position: String) {
        let id = UUID().data
        floor.run("BEGIN IMMEDIATE")
        floor.insertItem(list: list.uuid.data, id: id, title: title, position: position, creator: creator)
        floor.insertMutation(
            list: list.uuid.data, id: id, change: #"{"add":{},"set":{"position":"\#(position)","title":"\#(title)"}}"#)
        floor.run("COMMIT")
    }
}
