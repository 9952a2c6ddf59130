import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

/// The third act: three people find each other by their address books, and keep up with each other.
///
/// Like the first two, it says nothing that was not done or read back.
struct PeopleStory: Sendable {
    let timeline: Timeline
    let folder: DemoFolder
    let server: ServerProcess
    let kith: KithProcess
    let zoe: Player
    let lukasz: Player
    let lucia: Player

    var players: [Player] { [zoe, lukasz, lucia] }

    init(_ timeline: Timeline, _ folder: DemoFolder, _ server: ServerProcess, _ program: URL) async throws {
        self.timeline = timeline
        self.folder = folder
        self.server = server
        kith = KithProcess(program: program, complaints: folder.commandLog)
        try timeline.print(["", timeline.look("The third act: three people, three address books", .strong)])
        try timeline.chapter("Each with a device, an account, and an address book that nobody else has")
        let players = try await Player.Role.all.together { try await Player($0, folder, server.url) }
        for player in players {
            try timeline.say(
                player.who,
                "reads \(player.role.book.fileName), \(player.cards.things("card")), and is called \(player.role.name): "
                    + "account …\(player.account.short)")
        }
        (zoe, lukasz, lucia) = (players[0], players[1], players[2])
    }

    func tell() async throws {
        try await register()
        try await discover()
        try await connect()
        try await showPicture()
        try await partAndReturn()
        try await block()
        try await changeProfile()
        try await compare()
    }

    /// The operator says by what each of them can be found, with the server running.
    private func register() async throws {
        let (kith, database) = (kith, folder.database)
        let answers = try await players.together { player in
            try await kith.lines([
                "admin", "identity", "add", player.role.identity.text, "--account", player.account.description,
                "--database", database.path(),
            ])
        }
        for words in answers {
            try timeline.say(.server, "kith admin identity add: \(words.joined(separator: " "))")
        }
    }

    /// Each finds those who are here and in the own book, and nobody else.
    private func discover() async throws {
        try timeline.chapter("Who is here already? The server is not told who the others are")
        for (player, others, hasOwnCard) in [
            (zoe, [lukasz, lucia], true), (lukasz, [zoe], true), (lucia, [lukasz], false),
        ] {
            let client = player.device.client
            let start = ContinuousClock.now
            let summary = try await client.discovery.lookAgain()
            let time = start.milliseconds
            let here = others + (hasOwnCard ? [player] : [])
            try expect(
                Set(summary.matches.map(\.account)) == Set(here.map(\.account))
                    && Set(summary.matches.map(\.identity)) == Set(here.map(\.role.identity)),
                "\(player.role.given) finds who is here, and nobody else.")
            let shown = (client.addressBook.contacts ?? []).filter(\.isOnService).map(\.displayName)
            try expect(
                shown.sorted() == here.map(\.role.name).sorted(), "The address book shows who is here, and nobody else."
            )
            let names = others.map(\.role.name).joined(separator: " and ")
            try timeline.say(
                player.who,
                "looks for \(summary.identities) numbers and emails, each blinded: finds \(names)\(hasOwnCard ? " (and the own card)" : "") "
                    + "and nobody else, after \(time) ms")
        }
    }

    private func connect() async throws {
        try timeline.chapter("Connected: one asks, the others accept")
        let matches = try await zoe.device.client.discovery.matches()
        try await zoe.device.client.discovery.connect(with: matches)
        let asked = try await zoe.network.sentRequests()
        try expect(Set(asked.map(\.id)) == [lukasz.account, lucia.account], "Zoë has asked both, and not herself.")
        try timeline.say(.zoe, "asks both whom she has found")
        _ = try await [lukasz, lucia].together { [self] player in
            try await player.waits(for: zoe, "hears of Zoë’s request") { $0.asksMe }
            try expect(try await player.network.contacts().isEmpty, "Who asks is not in the network yet.")
            try await player.network.accept(zoe.account)
            try await zoe.waits(for: player, "hears that \(player.role.given) has accepted") {
                $0.relation == .connected && $0.given == player.role.given
            }
            try await player.waits(for: zoe, "has Zoë’s name") { $0.relation == .connected && $0.given == "Zoë" }
            try timeline.say(player.who, "hears of it and accepts; each has the other’s name")
        }
    }
}

extension PeopleStory {
    /// Stops the story, loudly, unless `holds`.
    func expect(_ holds: Bool, _ sentence: String) throws {
        if !holds { throw broken(sentence) }
    }

    func broken(_ sentence: String) -> Failure {
        Failure(.failed, "demo", "This should have been so and was not: \(sentence)")
    }
}

extension Array where Element: Sendable {
    /// Transforms all elements at the same time.
    fileprivate func together<Value: Sendable>(
        _ transform: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            for (index, element) in enumerated() { group.addTask { (index, try await transform(element)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
