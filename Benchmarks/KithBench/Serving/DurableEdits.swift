import BenchReport
import Foundation
import KithModel

/// Measures single edits, each of which is on the disk before it is answered.
struct DurableEdits {
    /// A device with a list.
    private final class Editor {
        let device: SyncDevice
        let list: FeedID
        private(set) var edits = 0

        init(port: Int) throws {
            device = try SyncDevice(port: port)
            list = try device.makeList()
            try device.catchUp()
        }

        func request() -> [UInt8] {
            edits += 1
            return device.request(device.items(edits..<(edits + 1), in: list))
        }

        /// Sends edits, one after the other.
        func edit(_ count: Int, _ times: inout Samples) throws {
            for _ in 0..<count {
                let request = request()
                let answer = try times.time { try device.connection.ask(request) }
                try device.glance(at: answer)
            }
        }
    }

    let run: Run

    func measure() throws {
        let server = try run.serve()
        try measureOne(server)
        try measureAwake(server)
        try measureMany(server)
        try measureSlowDisk()
    }

    /// The time without a commit between two edits on one connection: a client makes its next request, and the server
    /// takes it. Some disks answer much later after such a pause.
    private static let pause = 0.000_3

    /// One connection, in turns with commits of SQLite on the same disk: one right after the other, and with pauses.
    private func measureOne(_ server: KithServe) throws {
        let editor = try Editor(port: server.port)
        let floor = Floor(path: run.folder.appending(path: "floor.sqlite").path())
        floor.createTables()
        let (list, creator) = (UUID().data, UUID().data)
        var (edits, commits, paced) = (Samples(), Samples(), Samples())
        for turn in 0..<run.size(40, smoke: 4) {
            try editor.edit(50, &edits)
            for index in 0..<100 {
                let (id, number, isPaced) = (UUID().data, turn * 100 + index, index >= 50)
                if isPaced { Thread.sleep(forTimeInterval: Self.pause) }
                func commit() {
                    floor.insertItem(
                        list: list, id: id, title: SampleItem.title(number), position: SampleItem.position(number),
                        creator: creator)
                }
                if isPaced { paced.time(commit) } else { commits.time(commit) }
            }
        }
        try check([editor])
        run.line(
            "single durable edits, 1 connection", .perSecond(edits.rate),
            beside: .init("commits of SQLite in C", .perSecond(commits.rate)), wanted: .atLeast(.perSecond(1_200)))
        run.line("a durable edit, p50", .time(edits.p50), beside: .init("a commit of SQLite in C", .time(commits.p50)))
        run.line("a durable edit, p99", .time(edits.p99), beside: .init("a commit of SQLite in C", .time(commits.p99)))
        run.line(
            "a durable edit, p50", .time(edits.p50),
            beside: .init("a commit of SQLite in C, 0.3 ms after the last", .time(paced.p50)))
    }

    /// One connection, while the processors do not sleep when the server and its client wait for each other or the disk.
    private func measureAwake(_ server: KithServe) throws {
        let editor = try Editor(port: server.port)
        let processors = AwakeProcessors()
        defer { processors.end() }
        var edits = Samples()
        try editor.edit(run.size(2_000, smoke: 100), &edits)
        try check([editor])
        run.line(
            "single durable edits, 1 connection, on processors that do not sleep", .perSecond(edits.rate),
            wanted: .atLeast(.perSecond(1_200)))
        run.line("a durable edit on processors that do not sleep, p50", .time(edits.p50))
    }

    /// Many devices at once, in turns with `GET /health`.
    private func measureMany(_ server: KithServe) throws {
        let editors = try (0..<64).map { _ in try Editor(port: server.port) }
        let health = HealthCheck(port: server.port, connections: editors.count)
        var (edits, checks): ([Double], [Double]) = ([], [])
        for _ in 0..<run.size(5, smoke: 1) {
            checks.append(try health.rate(of: run.size(20_000, smoke: 640)))
            edits.append(try rate(of: run.size(10_000, smoke: 640), by: editors))
        }
        try check(editors)
        run.line(
            "single durable edits, 64 devices at once", .perSecond(edits.median),
            beside: .init("GET /health", .perSecond(checks.median)), wanted: .atLeastTimes(0.2))
    }

    /// Many devices at once, on a disk that needs 5 ms longer for each write that must last.
    private func measureSlowDisk() throws {
        let shim = URL(filePath: ".build/peers/slow-fsync.so")
        guard FileManager.default.fileExists(atPath: shim.path()) else {
            return run.remark(
                "Without \(shim.lastPathComponent) there is no line about a slow disk. ./bench compiles it.")
        }
        let server = try run.serve(environment: ["LD_PRELOAD": shim.absoluteURL.path(), "SLOW_FSYNC_MS": "5"])
        let editors = try (0..<64).map { _ in try Editor(port: server.port) }
        var single = Samples()
        try editors[0].edit(20, &single)
        precondition(single.p50 >= .milliseconds(5), "The disk is not slow: the shim was not loaded.")
        let edits = try (0..<run.size(5, smoke: 1)).map { _ in try rate(of: run.size(5_000, smoke: 640), by: editors) }
        try check(editors)
        run.line(
            "the same, with 5 ms more for each fsync", .perSecond(edits.median), wanted: .atLeast(.perSecond(3_000)))
        run.line("a durable edit with 5 ms more for each fsync, 1 connection, p50", .time(single.p50))
    }

    private func rate(of count: Int, by editors: [Editor]) throws -> Double {
        try ClosedLoop.rate(
            of: count, on: editors.map(\.device.connection), request: { editors[$0].request() },
            answered: { index, answer in try editors[index].device.glance(at: answer) })
    }

    /// Reads what the server has, with a new device for each account.
    private func check(_ editors: [Editor]) throws {
        for editor in editors {
            let reader = SyncDevice(editor.device.session, port: editor.device.connection.port)
            // The list, its member and the membership are records too.
            let count = try reader.catchUp()
            precondition(count == editor.edits + 3, "The server has \(count - 3) of \(editor.edits) edits.")
        }
    }
}

extension Samples {
    /// How many of them fit in a second.
    fileprivate var rate: Double { Double(count) / (total / .seconds(1)) }
}
