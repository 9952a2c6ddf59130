import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith watch`: stays in step, and tells each change as it comes, until Ctrl-C.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Stay in step and tell each change as it comes, until Ctrl-C.",
        discussion: """
            What is there comes first, then every change after it, none left out and none told twice: of lists, of items \
            and of people. With --json: one object a line. Who comes online is told by: kith network watch
            """)
    @Option(help: ArgumentHelp("Tell only of this list.", valueName: "list"), completion: .custom(ListNames.complete))
    var list: String?
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let desk = try Desk(options)
        let watched: ListID? = if let list { try await desk.list(list).id } else { nil }
        var memory = NewsTeller()
        try await desk.watch { sighting in
            guard let piece = News(sighting)?.about(watched), !piece.isEmpty else { return }
            let lines = memory.lines(piece)
            if desk.console.isJSON || !lines.isEmpty { try desk.console.say(Answer(piece.json) { _ in lines }) }
        }
    }
}
