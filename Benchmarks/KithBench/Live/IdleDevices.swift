import BenchReport
import Foundation
import KithServer

/// Measures what live devices cost a server while nothing happens: memory, and processor time for the heartbeats.
///
/// The devices are in lists of ten people. Each has a session and a connection of its own.
enum IdleDevices {
    static func measure(_ run: Run) async throws {
        let count = run.size(10_000, smoke: 500)
        let file = run.folder.appending(path: "idle.sqlite")
        let people = try await LivePerson.make(
            lists: count / 10, of: 10, in: SQLiteDatabase(path: file.path(percentEncoded: false)))
        let server = try run.serve(file)
        defer { server.stop() }
        KithServer.allowManyConnections()
        let crowd = try LiveCrowd()
        // The first streams also pay for what the server allocates once.
        let first = people.flatMap(\.self).prefix(count / 50)
        try crowd.open(first, port: server.port, hasRounds: false)
        let before = server.usage.residentMemory
        try crowd.open(people.flatMap(\.self).dropFirst(first.count), port: server.port, hasRounds: false)
        let each = Double(server.usage.residentMemory - before) / Double(count - first.count)
        run.line(
            "\(count) idle live devices: memory of the server for each", .bytes(each), wanted: .atMost(.kibibytes(16)))

        let time = Duration.seconds(run.size(60, smoke: 2))
        let start = server.usage.processorTime
        let events = try crowd.listen(for: time)
        let minute = (server.usage.processorTime - start) / time * 60
        precondition(crowd.devices.count == count && events[.moved] == nil)
        // A heartbeat comes every 20 seconds.
        precondition(run.isSmoke || events[.comment, default: 0] >= 2 * count, "Streams are broken.")
        run.line(
            "\(count) idle live devices: processor time of the server a minute", .seconds(minute),
            wanted: .atMost(.seconds(0.6)))
    }
}
