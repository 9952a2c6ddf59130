import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith watch`: stays in step, and tells each change as it comes, until Ctrl-C.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Stay in step and tell each change as it comes, until Ctrl-C.",
        discussion: """
            What is there comes first, then every change after it, none left out and none told twice. With --json: one \
            object a line.
            """)
    @Option(help: ArgumentHelp("Tell only of this list.", valueName: "list"), completion: .custom(ListNames.complete))
    var list: String?
    @OptionGroup var options: GlobalOptions

    /// How often to look whether another `kith` has changed something in the same folder.
    static let glance = Duration.milliseconds(500)

    func run() async throws {
        let desk = try Desk(options)
        let watched: ListID? = if let list { try await desk.list(list).id } else { nil }
        let client = desk.client
        let (news, teller) = AsyncThrowingStream.makeStream(of: News.self)
        let end = EndSignal { teller.finish() }
        defer { end.cancel() }

        // Listening begins before syncing, so that what comes is told as news and not as state.
        let sightings = client.sightings(every: Self.glance)
        try await withThrowingTaskGroup { group in
            group.addTask {
                do {
                    for try await sighting in sightings {
                        if let piece = News(sighting)?.about(watched) { teller.yield(piece) }
                    }
                } catch {
                    teller.finish(throwing: error)
                }
            }
            if !desk.isOffline && desk.place.server != nil {
                group.addTask { await client.run() }
                group.addTask { await desk.noteTroubles() }
            }
            defer { group.cancelAll() }
            var memory = NewsTeller()
            for try await piece in news where !piece.isEmpty {
                let lines = memory.lines(piece)
                if desk.console.isJSON || !lines.isEmpty { try desk.console.say(Answer(piece.json) { _ in lines }) }
            }
        }
    }
}

extension Desk {
    /// Notes on standard error when the server is lost, and when it is back.
    func noteTroubles() async {
        var last: String?
        for await status in client.statuses where status.lastError?.sentence != last {
            if let sentence = status.lastError?.sentence {
                console.note(sentence.printable)
            } else if last != nil {
                console.note("In step with \(serverName) again.")
            }
            last = status.lastError?.sentence
        }
    }
}
