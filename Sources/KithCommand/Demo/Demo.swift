import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith demo`: two devices with one list, one address book of five programs, three people; all to an end that is checked.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract:
            "Show two devices keeping one list, one address book from five programs, and three people; check how each ends.",
        discussion: """
            The first act: a phone and a tablet, each a real client with a folder of its own, and a real server in a \
            process of its own, which is killed and started again. The end compares both devices with the server, \
            item by item. The second: the contacts of five programs, read, linked and found, while a file changes and \
            another goes away and comes back. The end compares them with a fresh start. The third: three people find each \
            other by their address books, connect, show a picture, change a profile and block, on the same server. The \
            end compares each with a fresh start of the same account.

            Every line that is printed was done or checked. Status 0 if all ends are equal, 1 with what differs if not.
            """)

    @Option(
        help: ArgumentHelp(
            "Keep the devices and the server's database here; an earlier demo in it is begun anew.",
            discussion: "Without it, a temporary folder that goes when all went well.", valueName: "folder"),
        completion: .directory)
    var data: String?

    @Option(help: ArgumentHelp("The server's port; 0 takes a free one.", valueName: "number"))
    var port = 0

    @Option(
        help: ArgumentHelp(
            "The list to import, in any format that kith reads; at least \(Cast.needed) items not yet ticked.",
            discussion: "Without it, the household list that comes with Kith.", valueName: "file"),
        completion: .file())
    var list: String?

    func validate() throws {
        if !(0...65_535).contains(port) { throw ValidationError("A port goes from 0 to 65535.") }
    }

    func run() async throws {
        let sample = try Sample(file: list)
        let folder = try DemoFolder(data)
        let timeline = Timeline(Console(isJSON: false))
        let program = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        let server = ServerProcess(program, database: folder.database, port: port, complaints: folder.serverLog)
        // A reader who goes away ends the story; but then the server must still be ended.
        signal(SIGPIPE, SIG_IGN)
        let telling = Task {
            var story = try await Story(timeline, folder, server)
            try await story.tell(sample)
            try await BookStory(timeline, folder).tell()
            try await PeopleStory(timeline, folder, server, program).tell()
        }
        // The server is in a process of its own, which Ctrl-C does not reach: we must end it.
        let interruption = EndSignal { telling.cancel() }
        defer { interruption.cancel() }
        let end = await telling.result
        await server.kill()
        do {
            try end.get()
            try folder.finish("The demo was told to its end, and all were equal.")
        } catch _ where interruption.wasHeard {
            try timeline.print(["", "Stopped."])
            folder.discard()
            throw ExitCode(130)
        } catch {
            try timeline.print(["", "What the devices and the server have is kept in \(folder.url.path())"])
            throw error
        }
    }
}

/// The list that the story is told of, as it was read from a file.
struct Sample: Sendable {
    let fileName: String
    let document: ListDocument

    /// - Parameter file: nil for the list that comes with Kith.
    /// - Throws: ``Failure`` if it cannot be read, or is too short.
    init(file: String?) throws {
        let data: Data
        if let file {
            let url = URL(filePath: (file as NSString).expandingTildeInPath)
            guard let read = try? Data(contentsOf: url) else {
                throw Failure(.notFound, "demo", "“\(file)” cannot be read. Is the path right?")
            }
            fileName = url.lastPathComponent
            data = read
        } else {
            fileName = "household.md"
            data = Data(PackageResources.household_md)
        }
        guard let format = ListFormat.recognised(fileName: fileName, content: data) else {
            throw Failure(.faults, "demo", "“\(fileName)” is not a list that kith can read.")
        }
        document = try format.read(data)
        let usable = document.items.filter { Cast.isUsable(isTicked: $0.isTicked, title: $0.title) }.count
        if usable < Cast.needed {
            throw Failure(
                .faults, "demo",
                "“\(fileName)” has \(usable.things("item")) to be ticked; the story needs \(Cast.needed).")
        }
    }
}
