import BenchReport
import Foundation
import KithModel
import KithServer

/// Measures the time from an edit on one device until another device has read it, which the server has told to look.
///
/// The other device hears `moved` on its live stream, performs a round, and has the edit in the answer. The time begins
/// before the edit is sent.
struct LiveLatency {
    private let run: Run
    private var random = SystemRandomNumberGenerator()

    init(_ run: Run) { self.run = run }

    mutating func measure() async throws {
        try await measureOneList()
        try await measureManyLists()
    }

    // MARK: One list

    /// Everybody is in one list. One edits, all others hear of it, and one of them reads it. The next edit waits until that
    /// has happened.
    private mutating func measureOneList() async throws {
        let listeners = run.size(199, smoke: 29)
        let (server, people) = try await start("one.sqlite", lists: 1, of: listeners + 1)
        defer { server.stop() }
        let crowd = try LiveCrowd()
        try crowd.open(people[0], port: server.port)
        let (writer, others) = (crowd.devices[0], crowd.devices.dropFirst())
        // Few read in turn, so that each answer has few edits.
        let readers = others.enumerated().filter { $0.offset % 20 == 0 }.map(\.element)
        var (reading, hearing) = (Samples(), Samples())
        let edits = run.size(300, smoke: 20)
        for edit in 0..<edits + edits / 10 {
            // The first edits only warm up.
            if edit == edits / 10 { (reading, hearing) = (Samples(), Samples()) }
            let reader = readers[edit % readers.count]
            let item = newItem()
            let start = ContinuousClock.now
            reader.await(item, from: start)
            try writer.add(item)
            var silent = others.count
            try crowd.serve(
                while: { silent > 0 || !reader.hasReadAll || writer.isAsking },
                told: { device, event in
                    guard event == .moved else { return }
                    silent -= 1
                    if silent == 0 { hearing.append(.now - start) }
                    if device === reader { try reader.ask() }
                }, read: { reading.append($0) })
        }
        precondition(reading.count == edits && hearing.count == edits)
        run.line("an edit until one of \(listeners) live devices has read it, p50", .time(reading.p50))
        run.line("an edit until one of \(listeners) live devices has read it, p99", .time(reading.p99))
        run.line("an edit until all \(listeners) live devices have heard of it, p50", .time(hearing.p50))
        run.line("an edit until all \(listeners) live devices have heard of it, p99", .time(hearing.p99))
    }

    // MARK: Many lists

    /// A thousand devices are in a hundred lists of ten: a household, a club. At a fixed rate, one of the ten edits, and
    /// all nine others read it. With a thousand people in one list, 200 edits a second would be 200,000 notifications.
    private mutating func measureManyLists() async throws {
        let lists = run.size(100, smoke: 10)
        let rate = run.size(200, smoke: 50)
        let (server, people) = try await start("many.sqlite", lists: lists, of: 10)
        defer { server.stop() }
        let crowd = try LiveCrowd()
        try crowd.open(people.flatMap(\.self), port: server.port)
        let groups = (0..<lists).map { Array(crowd.devices[$0 * 10..<$0 * 10 + 10]) }
        // A turn to warm up, and one that counts.
        _ = try edit(groups, of: crowd, rate: rate, count: rate * 2)
        let before = server.usage.processorTime
        let seconds = run.size(20, smoke: 2)
        let samples = try edit(groups, of: crowd, rate: rate, count: rate * seconds)
        let share = (server.usage.processorTime - before) / .seconds(seconds)
        let what = "\(rate) edits/s in \(lists) lists of 10, \(lists * 10) live devices: until read"
        run.line("\(what), p50", .time(samples.p50), wanted: .atMost(.milliseconds(5)))
        run.line("\(what), p99", .time(samples.p99), wanted: .atMost(.milliseconds(25)))
        run.line("\(rate) edits/s, each read by nine: processor time of the server a second", .seconds(share))
    }

    /// Edits the lists in turn at a fixed rate, until everybody else in each list has read each edit. The time of an edit
    /// begins when it was due, so that a server that falls behind is not asked more slowly.
    private mutating func edit(
        _ groups: [[LiveDevice]], of crowd: LiveCrowd, rate: Int, count: Int
    ) throws -> Samples {
        let items = (0..<count).map { _ in newItem() }
        var samples = Samples()
        var sent = 0
        let expected = groups.reduce(0) { $0 + $1.count - 1 } / groups.count * count
        let start = ContinuousClock.now + .milliseconds(100)
        func due(_ edit: Int) -> ContinuousClock.Instant { start + .microseconds(edit * 1_000_000 / rate) }
        try crowd.serve(
            while: { samples.count < expected },
            next: {
                while sent < count, due(sent) <= .now {
                    let group = groups[sent % groups.count]
                    for reader in group.dropFirst() { reader.await(items[sent], from: due(sent)) }
                    try group[0].add(items[sent])
                    sent += 1
                }
                return sent < count ? due(sent) : nil
            },
            told: { device, event in if event == .moved { try device.ask() } }, read: { samples.append($0) })
        // Rounds that began for another reason end before the next turn.
        try crowd.serve(while: { crowd.devices.contains(where: \.isAsking) })
        return samples
    }

    // MARK: Two servers

    /// Two servers share a PostgreSQL, and each list has five devices at each of them. One device at the first server edits,
    /// and the five at the second one read it. The others at the first server read it too, without being timed.
    mutating func measureTwoServers() async throws {
        guard let cluster = try PostgresCluster(in: run.folder) else {
            return run.remark("PostgreSQL is not installed: apt-get install postgresql")
        }
        defer { cluster.stop() }
        try cluster.query("CREATE DATABASE kith")
        let address = cluster.url(of: "kith")
        let lists = run.size(50, smoke: 5)
        let database = try await PostgresDatabase(url: address)
        let people = try await LivePerson.make(lists: lists, of: 10, in: database)
        await database.close()
        let servers = try (0..<2).map { _ in try KithServe(run.kith, postgres: address, in: run.folder) }
        defer { for server in servers { server.stop() } }
        let crowd = try LiveCrowd()
        try crowd.open(people.flatMap { $0.prefix(5) }, port: servers[0].port)
        try crowd.open(people.flatMap { $0.suffix(5) }, port: servers[1].port)
        let groups = (0..<lists).map { list -> [LiveDevice] in
            [crowd.devices[list * 5]] + crowd.devices[(lists + list) * 5..<(lists + list + 1) * 5]
        }
        let rate = run.size(100, smoke: 20)
        // A turn to warm up, and one that counts.
        _ = try edit(groups, of: crowd, rate: rate, count: rate * 2)
        let samples = try edit(groups, of: crowd, rate: rate, count: rate * run.size(20, smoke: 2))
        let what = "\(rate) edits/s at one of two servers, \(lists * 10) live devices: until read at the other"
        run.line("\(what), p50", .time(samples.p50))
        run.line("\(what), p99", .time(samples.p99), wanted: .atMost(.milliseconds(30)))
    }

    // MARK: Shared

    private func start(_ name: String, lists: Int, of people: Int) async throws -> (KithServe, [[LivePerson]]) {
        let file = run.folder.appending(path: name)
        let made = try await LivePerson.make(
            lists: lists, of: people, in: SQLiteDatabase(path: file.path(percentEncoded: false)))
        return (try run.serve(file), made)
    }

    private mutating func newItem() -> RecordID<Never> {
        RecordID(.version7(time: Timestamp(.now), using: &random))
    }
}
