import BenchReport
import Foundation

/// Measures the same actions with the same records on Kith and on other servers.
struct PeerComparison {
    /// The times of a server's actions.
    private struct Entry {
        let peer: any SyncPeer
        var (puts, idle, changes, fills) = (Samples(), Samples(), Samples(), Samples())

        init(_ peer: any SyncPeer) { self.peer = peer }

        mutating func put(_ record: PeerRecord) throws {
            let peer = peer
            try puts.time { try peer.put(record) }
        }

        /// Reads when there is nothing new, and after a change.
        mutating func readNews(_ record: PeerRecord) throws {
            let peer = peer
            let none = try idle.time { try peer.readNews() }
            try peer.put(record)
            let one = try changes.time { try peer.readNews() }
            precondition(none == 0 && one == 1, "\(peer.name) has told \(none) and \(one) changes instead of 0 and 1.")
        }

        mutating func readAll(_ expected: Int) throws {
            let peer = peer
            let count = try fills.time { try peer.readAll() }
            precondition(count == expected, "\(peer.name) has \(count) of \(expected) records.")
        }
    }

    let run: Run

    func measure() throws {
        var entries = [Entry(try KithPeer(run))]
        if let kinto = try KintoPeer.start(run) { entries.append(Entry(kinto)) }
        for program in DAVPeer.Program.allCases {
            if let peer = try DAVPeer.start(program, run) { entries.append(Entry(peer)) }
        }
        let records = PeerRecord.sample(run.size(500, smoke: 20))
        for record in records {
            for index in entries.indices { try entries[index].put(record) }
        }
        let changes = PeerRecord.sample(run.size(50, smoke: 3))
        for index in entries.indices { _ = try entries[index].peer.readNews() }
        for record in changes {
            for index in entries.indices { try entries[index].readNews(record) }
        }
        let count = records.count + changes.count
        for _ in 0..<run.size(3, smoke: 1) {
            for index in entries.indices { try entries[index].readAll(count) }
        }
        show("store one record", entries, \.puts)
        show("nothing new among \(count.grouped) records", entries, \.idle)
        show("one change among \(count.grouped) records", entries, \.changes)
        show("first fill of \(count.grouped) records", entries, \.fills)
    }

    private func show(_ what: String, _ entries: [Entry], _ samples: KeyPath<Entry, Samples>) {
        let kith = entries[0][keyPath: samples].p50
        for entry in entries.dropFirst() {
            run.line(
                "\(what), p50", .time(kith), beside: .init(entry.peer.name, .time(entry[keyPath: samples].p50)),
                wanted: .atMostTimes(1))
        }
    }
}
