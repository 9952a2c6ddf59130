import Foundation
import Kith
import KithModel

/// A small app that shares a wish list with friends, in a terminal. It uses Kith's public SDK, and nothing else.
@main struct Santa: Sendable {
    let client: KithClient
    let folder: URL
    let terminal: Terminal
    private let log = LogBook()

    static func main() async {
        let terminal = Terminal()
        var options = ["--server": "http://127.0.0.1:8480", "--data": "santa-data"]
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst() {
            guard options[name] != nil, let value = arguments.popFirst() else {
                terminal.say("usage: Santa [--server URL] [--data FOLDER]")
                exit(2)
            }
            options[name] = value
        }
        do {
            let folder = URL(filePath: options["--data"] ?? "", directoryHint: .isDirectory)
            let santa = try Santa(URL(string: options["--server"] ?? ""), folder, terminal)
            await santa.run()
        } catch {
            terminal.say("Santa cannot start: \(error)")
            exit(1)
        }
    }

    init(_ server: URL?, _ folder: URL, _ terminal: Terminal) throws {
        (self.folder, self.terminal) = (folder, terminal)
        var configuration = KithConfiguration(server: server, storage: .directory(folder))
        configuration.logger = log.logger
        client = try KithClient(configuration)
    }

    /// Does what the user types, until there is no more.
    private func run() async {
        let syncing = Task { await client.run() }
        let watching = Task {
            for await state in client.session.states() { terminal.say("state: \(state.rawValue)") }
        }
        terminal.say(Action.menu)
        while let line = await terminal.ask("What now?") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let action = words.first.flatMap { Action($0) } ?? .help
            if action == .quit { break }
            do {
                try await perform(action, words.count > 1 ? words[1] : "")
            } catch {
                terminal.say("\(error)")
            }
        }
        watching.cancel()
        syncing.cancel()
        await syncing.value
    }

    private func perform(_ action: Action, _ text: String) async throws {
        switch action {
        case .state: try await showState()
        case .who: try await showIdentity()
        case .name: try await client.network.setName(text)
        case .wishes: try await showWishes()
        case .wish: try await client.lists.add(text, to: wishes().id)
        case .page: try await showWishesOnPage()
        case .message: terminal.say(try await client.sharing.compose(mine().id, by: .message).text)
        case .link: try await showLink()
        case .share: try await share(text)
        case .use: try await client.sharing.use(code: text)
        case .friends: try await showFriends()
        case .identify: try await identify(text)
        case .save: try await saveToken()
        case .restore: try await restoreToken()
        case .new: try await client.session.open()
        case .out: try await client.session.logOut()
        case .log: for line in log.lines { terminal.say(line) }
        case .help, .quit: terminal.say(Action.menu)
        }
    }
}
