import Foundation
import Kith
import KithModel

extension Circle {
    /// Measures the propagation of a changed profile to all contacts, which the server does in the background, in
    /// steps.
    ///
    /// The floor writes as many rows in as many transactions. Kith reads each row and its feed, and advances the feed's
    /// sequence, so that each device finds the change.
    func measureProfile(into table: Table) throws {
        let count = try client.replica.look().contacts.count
        let floor = PlainPeople(folder.appending(path: "floor.sqlite"), count: count)
        var (kith, plain): ([Spent], [Spent]) = ([], [])
        var steps = 0
        for run in 0..<21 {
            try client.replica.writeNow { transaction in
                try Changes(transaction, isGroup: false).updateProfile { $0.status = "by the sea, \(run)" }
            }
            try sync()
            kith.append(try Spent.by { steps = try tell() })
            plain.append(Spent.by { floor.write(run, transactions: steps) })
        }
        let what = "profile change to \(count) contacts, in \(steps) transactions"
        table.row("\(what), on the clock", Spent.median(kith, \.clock), Spent.median(plain, \.clock))
        table.row("  processor’s time", Spent.median(kith, \.processor), Spent.median(plain, \.processor))
    }

    /// Measures reading a large network, and receiving and announcing a change of one person in it.
    func measureRoster(into table: Table) async throws {
        let count = try client.replica.look().contacts.count
        // The floor reads the same rows from the same file.
        let floor = PlainPeople(file)
        var (kith, plain): ([Duration], [Duration]) = ([], [])
        let clock = ContinuousClock()
        for _ in 0..<21 {
            let start = clock.now
            let contacts = try await client.network.contacts()
            kith.append(clock.now - start)
            precondition(contacts.count == count)
            plain.append(clock.measure { precondition(floor.read() == count) })
        }
        table.row("roster of \(count), read and in order", kith.sorted()[10], plain.sorted()[10])

        let changing = PlainPeople(folder.appending(path: "floor.sqlite"), count: count)
        var heard = client.network.changes().makeAsyncIterator()
        let state = await heard.next()
        precondition(state?.added.count == count)
        (kith, plain) = ([], [])
        for run in 0..<51 {
            try change(run, to: "by the sea, \(run)")
            try tell()
            let rounds = Rounds(replica: client.replica)
            guard let request = try rounds.begin() else { continue }
            let answer = try answer(request)
            let start = clock.now
            _ = try rounds.finish(request, answer)
            let told = await heard.next()
            kith.append(clock.now - start)
            precondition(told?.updated.count == 1)
            plain.append(clock.measure { changing.change(run) })
        }
        table.row("one of \(count) changed: laid down and heard", kith.sorted()[25], plain.sorted()[25])
    }
}

/// The wall-clock time and processor time of a call.
private struct Spent {
    var clock = Duration.zero
    var processor = Duration.zero

    static func by(_ body: () throws -> Void) rethrows -> Spent {
        var spent = Spent()
        spent.processor = try processorTime { spent.clock = try ContinuousClock().measure(body) }
        return spent
    }

    static func median(_ all: [Spent], _ time: KeyPath<Spent, Duration>) -> Duration {
        all.map { $0[keyPath: time] }.sorted()[all.count / 2]
    }
}
