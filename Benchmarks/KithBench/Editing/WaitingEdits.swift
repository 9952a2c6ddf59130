import BenchReport
import Foundation
import Kith
import KithModel
import KithServer

/// Edits that wait while a device is offline: how long it takes to send them, and whether they slow down the next edit.
enum WaitingEdits {
    static func measure(_ run: Run) async throws {
        try await measureSending(run)
        try await measureNextEdit(run)
    }

    // MARK: Sending

    private static func measureSending(_ run: Run) async throws {
        let count = run.size(14_500, smoke: 1_000)
        var (times, served) = (Samples(), Samples())
        for number in 0..<run.size(3, smoke: 1) {
            let folder = run.folder.appending(path: "sending-\(number)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let server = try LocalServer(file: folder.appending(path: "server.sqlite"))
            let device = try server.device(.file(folder.appending(path: "device.sqlite")))
            let list = try device.writeNow { try Changes($0, isGroup: false).create("Groceries").id }
            try await server.sync(device)
            try add(count, to: list, on: device)
            let start = ContinuousClock.now
            served.append(try await send(from: device, to: server))
            times.append(.now - start)
            let content = try device.content()
            try Mismatch.unless(
                content.waiting == 0 && content.rejections.isEmpty, "Edits still wait, or were rejected.")
            let other = try server.device(.inMemory)
            try await server.sync(other)
            try Mismatch.unless(other.content().items.count == count, "The server has not taken all edits.")
        }
        run.line(
            "\(count.grouped) waiting edits sent and acknowledged, both sides durable", .time(times.p50),
            wanted: .atMost(.seconds(1)))
        run.line("the server's part of sending them, p50", .time(served.p50))
    }

    /// Performs rounds as an app and `kith serve` do, which takes many mutations part by part, each in a transaction.
    ///
    /// - Returns: The processing time of the server.
    private static func send(from device: Replica, to server: LocalServer) async throws -> Duration {
        let rounds = Rounds(replica: device)
        let service = SyncService(database: server.database)
        var served = Duration.zero
        while let request = try rounds.begin() {
            let body = request.json
            let start = ContinuousClock.now
            let carried = try JSONBody.decode(SyncRequest.self, from: body)
            let answer = try await service.sync(
                carried, as: server.account, at: Timestamp(.now), through: AtOnce()
            ).answer.json
            served += .now - start
            if try rounds.finish(request, SyncAnswer(json: answer)) != .again { break }
        }
        return served
    }

    private static func add(_ count: Int, to list: ListID, on device: Replica) throws {
        for start in stride(from: 0, to: count, by: 500) {
            try device.writeNow { transaction in
                let changes = Changes(transaction, isGroup: false)
                for index in start..<min(start + 500, count) { try changes.add("Item \(index)", to: list) }
            }
        }
    }

    // MARK: The next edit

    private static func measureNextEdit(_ run: Run) async throws {
        let count = run.size(30_000, smoke: 1_000)
        for isDurable in [true, false] {
            let folder = run.folder.appending(path: "next-\(isDurable)")
            let offline = try EditedDevice(
                in: folder.appending(path: "offline"), isDurable: isDurable, isOnline: false)
            let online = try EditedDevice(in: folder.appending(path: "online"), isDurable: isDurable, isOnline: true)
            for device in [offline, online] { try add(count, to: device.list, on: device.replica) }
            var (waiting, none) = (Samples(), Samples())
            for number in 0..<run.size(isDurable ? 300 : 1_000, smoke: 10) {
                // In another order each time, because the second edit finds the processor's caches filled by the first.
                // Each device begins a round before, so that both find the same of themselves in the caches.
                let devices = number.isMultiple(of: 2) ? [online, offline] : [offline, online]
                for device in devices { try await device.round() }
                for device in devices {
                    let start = ContinuousClock.now
                    try device.edit(number)
                    if device.isOnline { none.append(.now - start) } else { waiting.append(.now - start) }
                }
            }
            try await online.round()
            let isRight = try offline.waiting >= count + waiting.count && online.waiting == 0
            try Mismatch.unless(isRight, "Another number of edits waits.")
            run.line(
                "one more edit while \(count.grouped) wait\(isDurable ? "" : ", synchronous=OFF"), p50",
                .time(waiting.p50), beside: .init("none waits", .time(none.p50)),
                wanted: isDurable ? .atMostTimes(1.1) : nil)
        }
    }

    /// A device with one list, and its server.
    private struct EditedDevice {
        let server: LocalServer
        let replica: Replica
        let list: ListID
        let isOnline: Bool

        init(in folder: URL, isDurable: Bool, isOnline: Bool) throws {
            self.isOnline = isOnline
            server = try LocalServer()
            replica = try server.device(.file(folder.appending(path: "device.sqlite")))
            if !isDurable { try replica.doNotWaitForDisk() }
            list = try replica.writeNow { try Changes($0, isGroup: false).create("Groceries").id }
        }

        func edit(_ number: Int) throws {
            try replica.writeNow { [list] in try Changes($0, isGroup: false).add("One more, \(number)", to: list) }
        }

        /// Does a round. If the device is offline, the round fails.
        func round() async throws {
            if isOnline { return try await server.sync(replica) }
            let rounds = Rounds(replica: replica)
            guard let request = try rounds.begin() else { return }
            _ = try rounds.fail(KithError(.offline, "The server cannot be reached."), of: request)
        }

        var waiting: Int { get throws { try replica.content().waiting } }
    }
}
