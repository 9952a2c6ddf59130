import BenchReport
import Foundation
import Kith
import KithModel

/// A pull that arrives while edits wait, some of them on the pulled records, beside the same pull while none wait.
///
/// Only the device's part is measured: reading the answer, and applying it durably.
struct PullOverEdits {
    private let pulled: Int
    private let shared: Int
    private let server: LocalServer
    private let writer: Replica
    private let list: ListID
    private let items: [ItemID]

    static func measure(_ run: Run) async throws {
        let pulls = try await PullOverEdits(pulled: run.size(1_000, smoke: 100))
        try await pulls.measure(run)
    }

    private init(pulled: Int) async throws {
        (self.pulled, shared) = (pulled, pulled / 10)
        server = try LocalServer()
        writer = try server.device(.inMemory)
        (list, items) = try writer.writeNow { transaction in
            let changes = Changes(transaction, isGroup: false)
            let list = try changes.create("Large").id
            let drafts = (0..<5 * pulled).map { ItemDraft(title: "Something to buy, number \($0)") }
            return (list, try changes.add(drafts, to: list).map(\.id))
        }
        try await server.sync(writer)
    }

    private func measure(_ run: Run) async throws {
        let editing = try server.device(.file(run.folder.appending(path: "editing.sqlite")))
        let reading = try server.device(.file(run.folder.appending(path: "reading.sqlite")))
        for device in [editing, reading] { try await server.sync(device) }
        var (over, plain) = (Samples(), Samples())
        for number in 0..<run.size(30, smoke: 3) {
            try writer.writeNow { transaction in
                let changes = Changes(transaction, isGroup: false)
                for item in items.prefix(pulled) { try changes.setTicked(item, in: list, number % 2 == 0) }
            }
            try await server.sync(writer)
            try await pull(on: reading, into: &plain)
            try await pull(on: editing, into: &over) {
                let changes = Changes($0, isGroup: false)
                for item in items.dropFirst(pulled - shared).prefix(pulled) {
                    try changes.update(item, in: list) { $0.title = "Edited in run \(number)" }
                }
            }
            let merged = try editing.content()
            try Mismatch.unless(merged.waiting == pulled, "Another number of edits waits.")
            let item = merged.items.first { $0.id == items[pulled - 1] }
            let isMerged = item?.isTicked == (number % 2 == 0) && item?.title == "Edited in run \(number)"
            try Mismatch.unless(isMerged, "The pulled record has lost the edit, or the edit the pull.")
            for device in [editing, writer, reading] { try await server.sync(device) }
        }
        run.line(
            "pull of \(pulled.grouped) records over as many edits, \(shared) on them, p50",
            .time(over.p50), beside: .init("none waits", .time(plain.p50)), wanted: .atMostTimes(1.3))
    }

    /// Pulls, and measures the device's part. The edits are made while the request is on its way.
    private func pull(
        on device: Replica, into times: inout Samples, over edits: ((ReplicaTransaction) throws -> Void)? = nil
    ) async throws {
        let rounds = Rounds(replica: device)
        guard let request = try rounds.begin() else { throw Mismatch(description: "The device has no session.") }
        let answer = try await server.answer(request)
        if let edits { try device.writeNow(edits) }
        let next = try times.time { try rounds.finish(request, SyncAnswer(json: answer)) }
        try Mismatch.unless(next == (edits == nil ? .done : .again), "The answer was not applied.")
    }
}
