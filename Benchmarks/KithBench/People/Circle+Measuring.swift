import BenchReport
import Foundation
import Kith
import KithModel

extension Circle {
    /// Measures the propagation of a changed profile to all contacts, which the server does in the background, in
    /// steps.
    ///
    /// The floor writes as many rows in one transaction. Kith reads each row and its feed, and advances the feed's
    /// sequence, so that each device finds the change.
    static func measureProfile(_ run: Run) async throws {
        let count = run.size(1_000, smoke: 50)
        let circle = try await Circle(count, folder: run.folder, isDurable: true)
        try Mismatch.unless(circle.client.replica.look().contacts.count == count, "Contacts are missing.")
        let floor = PlainPeople(run.folder.appending(path: "floor.sqlite"), count: count)
        var (kith, plain) = (Samples(), Samples())
        for number in 0..<run.size(31, smoke: 3) {
            try circle.client.replica.writeNow { transaction in
                try Changes(transaction, isGroup: false).updateProfile { $0.status = "by the sea, \(number)" }
            }
            try circle.sync()
            try kith.time { _ = try circle.tell() }
            plain.time { floor.write(number) }
        }
        run.line(
            "profile change told to \(count.grouped) contacts, p50", .time(kith.p50),
            beside: .init(Floor.name, .time(plain.p50)), wanted: .atMostTimes(3))
    }

    /// Measures reading a large network, and receiving and announcing a change of one person in it.
    static func measureRoster(_ run: Run) async throws {
        let count = run.size(10_000, smoke: 200)
        let circle = try await Circle(count, folder: run.folder, isDurable: false)
        try await circle.measureReading(of: count, run)
        try await circle.measureChange(among: count, run)
    }

    private func measureReading(of count: Int, _ run: Run) async throws {
        // The floor reads the same rows from the same file.
        let floor = PlainPeople(file)
        var (kith, plain) = (Samples(), Samples())
        for _ in 0..<run.size(51, smoke: 5) {
            let start = ContinuousClock.now
            let contacts = try await client.network.contacts()
            kith.append(.now - start)
            let rows = plain.time { floor.read() }
            try Mismatch.unless(contacts.count == count && rows == count, "People are missing.")
        }
        run.line(
            "network of \(count.grouped) people, read and in order, p50", .time(kith.p50),
            beside: .init(Floor.name, .time(plain.p50)), wanted: .atMostTimes(1.5))
    }

    private func measureChange(among count: Int, _ run: Run) async throws {
        let floor = PlainPeople(folder.appending(path: "floor.sqlite"), count: count)
        var heard = client.network.changes().makeAsyncIterator()
        let state = await heard.next()
        try Mismatch.unless(state?.added.count == count, "People are missing.")
        var (kith, plain) = (Samples(), Samples())
        for number in 0..<run.size(101, smoke: 5) {
            try change(number, to: "by the sea, \(number)")
            try tell()
            let rounds = Rounds(replica: client.replica)
            guard let request = try rounds.begin() else { throw Mismatch(description: "The device has no session.") }
            let answer = try answer(request)
            let start = ContinuousClock.now
            _ = try rounds.finish(request, answer)
            let told = await heard.next()
            kith.append(.now - start)
            try Mismatch.unless(told?.updated.count == 1, "Another number of people has changed.")
            plain.time { floor.change(number) }
        }
        run.line(
            "one of \(count.grouped) people changed: stored and heard, p50", .time(kith.p50),
            beside: .init(Floor.name, .time(plain.p50)))
    }
}
