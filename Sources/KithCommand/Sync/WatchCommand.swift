import ArgumentParser
import Kith
import KithModel

/// `kith watch`: stays in sync, and reports each change as it arrives, until Ctrl-C.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Sync, and print each change, until Ctrl-C.",
        discussion: """
            What is there comes first, then every change after it, none left out and none told twice: of lists, of items, \
            of what you share, and of people: who joins a list, and, with kith discover --auto-look, who of the address \
            book joins the service. When the device shows another account, that is told, and then what is in it. With --json: one object a \
            line. Who comes online is told by: kith network watch
            """)
    @Option(help: ArgumentHelp("Tell only of this list.", valueName: "list"), completion: .custom(ListNames.complete))
    var list: String?
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let context = try await CommandContext(options, staysWithNamed: true)
        let watched: SharedList? = if let list { try await ListFinder(context.client).list(list) } else { nil }
        var memory = NewsPrinter()
        var people = try await NewsPeople(context.client)
        try await ChangeWatch(context: context).run { sighting in
            let news: [News]
            switch sighting.kind {
            case .switched:
                (memory, people) = (NewsPrinter(), try await NewsPeople(context.client))
                if let change = try await StoreSwitch(sighting, context, watching: watched) {
                    try context.console.say(change.answer)
                }
                return
            case .change(let announcement) where announcement.matches != nil:
                guard let changed = announcement.matches else { return }
                let contacts =
                    changed.origin == .state
                    ? [] : try await context.addressBook.readableContacts(noting: context.console)
                news = [
                    News(
                        added: changed.added + changed.modified, removed: changed.removed,
                        origin: sighting.origin(changed.origin), contacts, me: people.me)
                ]
            case .change(let announcement):
                if announcement.isAboutPeople { people = try await NewsPeople(context.client) }
                if let changes = announcement.sharing {
                    news = News.all(changes, origin: sighting.origin(changes.origin))
                } else {
                    news = [News(announcement, people, sighting.origin)].compactMap(\.self)
                }
            }
            for piece in news.map({ $0.about(watched?.id) }) where !piece.isEmpty {
                let lines = memory.lines(piece)
                if context.console.isJSON || !lines.isEmpty {
                    try context.console.say(CommandAnswer(piece.shape) { _ in lines })
                }
            }
        }
    }
}

extension Announcement {
    /// Whether the changes may affect the names of people.
    fileprivate var isAboutPeople: Bool { members != nil || contacts != nil }
}
