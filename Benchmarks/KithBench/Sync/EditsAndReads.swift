import Foundation
import Kith
import KithModel

/// Measures the most frequent actions of an app: adding an item, and reading a list.
struct EditsAndReads {
    let folder: URL

    func measure(into table: Table) throws {
        let replica = try Replica(.file(folder.appendingPathComponent("kith.sqlite")))
        let floor = Floor(path: folder.appendingPathComponent("floor.sqlite").path)
        floor.createTables()
        let list = try replica.writeNow { try Changes($0, isGroup: false).create("Groceries").id }
        let (listData, creator) = (list.uuid.data, UUID().data)

        func addToFloor(_ index: Int) {
            let id = UUID().data
            floor.run("BEGIN IMMEDIATE")
            floor.insertItem(list: listData, id: id, title: "Item \(index)", position: "b\(index)", creator: creator)
            floor.insertMutation(
                list: listData, id: id, change: #"{"add":{},"set":{"position":"b\#(index)","title":"Item \#(index)"}}"#)
            floor.run("COMMIT")
        }
        func addToKith(_ index: Int) throws {
            try replica.writeNow { _ = try Changes($0, isGroup: false).add("Item \(index)", to: list) }
        }
        for index in 0..<100 {
            addToFloor(index)
            try addToKith(index)
        }
        // Alternate between the two, so that a slow moment of the disk affects both.
        var (kith, plain): ([Duration], [Duration]) = ([], [])
        let clock = ContinuousClock()
        for index in 100..<1_000 {
            plain.append(clock.measure { addToFloor(index) })
            kith.append(try clock.measure { try addToKith(index) })
        }
        table.row("add an item: row and outbox, durable (900 in turn)", kith.sorted()[450], plain.sorted()[450])

        let read = try median(of: 200) { _ in
            let items = try replica.items(in: list)
            precondition(items.count == 1_000)
        }
        let floorRead = median(of: 200) { _ in
            let rows = floor.readList(listData)
            precondition(rows.count == 1_000)
        }
        table.row("read a list of 1,000 (200 times)", read, floorRead)
    }
}
