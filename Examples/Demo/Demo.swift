import ArgumentParser
import Dispatch
import Foundation

/// The demonstration: two devices with one list, the contacts of five programs, three people, an invitation, and a link with
/// rewards.
///
/// It uses Kith as an app does. Read ``ListStory``, ``BookStory``, ``PeopleStory``, ``InvitationStory`` and
/// ``SharingStory``; the other files only prepare them.
@main struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Demo",
        abstract: """
            Show what Kith does: two devices with one list, one address book from five programs, three people, an \
            invitation, and a link with rewards.
            """,
        discussion: """
            The devices are real clients, each with a folder of its own. The server is a real one, “kith serve”, in a \
            process of its own. Each line is printed after what it says was done and read back. The code is 0 if the \
            story was told to its end, 1 if not, 2 for wrong usage, and 130 after Ctrl-C.
            """)

    @Option(
        help: ArgumentHelp(
            "Keep the devices and the server's database here; an earlier demonstration in it is begun again.",
            discussion: "Without it, a temporary folder that goes in the end.", valueName: "folder"))
    var data: String?

    @Option(help: ArgumentHelp("The server's port; 0 takes a free one.", valueName: "number"))
    var port = 0

    @Option(
        help: ArgumentHelp(
            "The list to import, in any format that Kith reads; at least \(Cast.needed) items not yet ticked.",
            discussion: "Without it, the household list that comes with Kith.", valueName: "file"))
    var list: String?

    @Option(help: ArgumentHelp("The program “kith”. Without it, the one beside this program.", valueName: "path"))
    var kith: String?

    static func main() async {
        do {
            try await parse().run()
        } catch {
            // For wrong usage, ArgumentParser itself exits with 64.
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
            Foundation.exit(2)
        }
    }

    func validate() throws {
        if !(0...65_535).contains(port) { throw ValidationError("A port goes from 0 to 65535.") }
    }

    func run() async throws {
        let document = try Samples.list(list)
        let folder = try DemoFolder(data)
        let say = Narrator()
        let beside = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        let server = Server(
            program: kith.map { URL(filePath: $0) } ?? beside.deletingLastPathComponent().appending(path: "kith"),
            database: folder.database, log: folder.serverLog, say: say)
        let port = port

        // If the reader of the output ends, writing must fail instead of ending this process, because the server must
        // still be stopped.
        signal(SIGPIPE, SIG_IGN)
        let story = Story(say: say, folder: folder, server: server)
        let telling = Task { try await story.tell(document, port: port) }
        let interruptions = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { telling.cancel() }
            source.resume()
            return source
        }
        defer { for source in interruptions { source.cancel() } }
        do {
            try await telling.value
            try folder.finish()
        } catch _ where telling.isCancelled {
            try? say.note("Stopped.")
            folder.discard()
            throw ExitCode(130)
        } catch {
            try? say.note("What the devices and the server have is kept in \(folder.path)")
            throw StoryError(error)
        }
    }
}
