import Foundation
import Kith
import KithModel

/// The story of two devices and a server, from an empty folder to three equal lists.
///
/// Each chapter does something, reads back what came of it, and only then says
/// so. What shows a law is noted where it is checked, and told at the end.
struct Story {
    let timeline: Timeline
    let server: ServerProcess
    let phone: Device
    let tablet: Device
    /// What in the story showed a law, by the law's number.
    var shown: [Int: String] = [:]

    init(_ timeline: Timeline, _ folder: DemoFolder, _ server: ServerProcess) async throws {
        self.timeline = timeline
        self.server = server
        try timeline.print([
            timeline.look("Two devices, one list, one server", .strong),
            "Each device is a real client with a folder of its own; the server is a process of its own, on this machine.",
            "Times are since the start. What is printed was done, or read back.",
        ])
        try timeline.chapter("A list, made before the server was ever asked")
        try await server.start()
        try timeline.say(.server, "serves at \(server.url.absoluteString) as process \(server.id ?? 0)")
        phone = try Device(server: server.url, storage: .directory(folder.phone))
        tablet = try Device(server: server.url, storage: .directory(folder.tablet))
    }

    mutating func tell(_ sample: Sample) async throws {
        let list = try await makeList(sample)
        try await share(list)
        let cast = Cast(try await phone.lists.items(in: list.id))
        try await together(list, cast)
        let apart = try await editApart(list, cast)
        let witnesses = [Witness(phone, of: list.id, .phone), Witness(tablet, of: list.id, .tablet)]
        try await comeBack(list, cast, apart)
        try await compare(list, cast, apart)
        for witness in witnesses { try await hear(witness, list) }
        try timeline.chapter("What each law promised, and what showed it")
        try timeline.print(Law.lines(shown, timeline))
        await phone.goOffline()
        await tablet.goOffline()
    }

    private func makeList(_ sample: Sample) async throws -> SharedList {
        let name = sample.document.name ?? "Household"
        let list = try await phone.lists.create(name)
        let items = try await phone.lists.add(sample.document.items, to: list.id)
        let status = try await phone.client.status()
        try expect(status.session == .initial, "The phone has not spoken to the server yet.")
        try expect(
            try await phone.lists.items(in: list.id).map(\.title) == sample.document.items.map(\.title),
            "The phone reads back what it imported.")
        try timeline.say(
            .phone,
            "makes “\(name)” and imports \(items.count.things("item")) from \(sample.fileName); "
                + "no session yet, \(status.waiting.things("edit")) wait")
        for fault in sample.document.faults {
            try timeline.say(.phone, "cannot read line \(fault.line): \(fault.reason)")
        }
        let presents = try await phone.lists.create("Presents")
        try await phone.lists.add("A kite for the tablet’s owner", to: presents.id)
        try timeline.say(.phone, "makes “Presents” too, which it will not share")
        phone.goOnline()
        try await phone.catchUp()
        let after = try await phone.client.status()
        try expect(after.session == .anonymous && after.waiting == 0, "Everything of the phone is acknowledged.")
        try timeline.say(.phone, "goes online: a new anonymous session, \(after.waiting) edits wait")
        return list
    }

    private mutating func share(_ list: SharedList) async throws {
        try timeline.chapter("Shared by a link")
        let link = try await phone.lists.invite(to: list.id, as: .editor)
        guard let address = link.url ?? link.token else { throw broken("The new link can be sent.") }
        try timeline.say(.phone, "makes a link for editors: \(address.prefix(44))…")
        let preview = try await tablet.lists.preview(address)
        try timeline.say(.tablet, "looks at it: “\(preview.name)”, \(preview.items.things("item")), as \(preview.role)")
        let accepted = try await tablet.lists.accept(address)
        tablet.goOnline()
        try await tablet.catchUp()
        let items = try await tablet.lists.items(in: accepted.id)
        try expect(items == (try await phone.lists.items(in: list.id)), "The tablet has the phone’s items.")
        let (mine, yours) = (try await phone.client.session.account(), try await tablet.client.session.account())
        try expect(mine != nil && yours != nil && mine != yours, "The two are different accounts.")
        try timeline.say(.tablet, "accepts, with an account of its own, and has the same \(items.count.things("item"))")
        let names = try await tablet.lists.all().map(\.name)
        try expect(names == [list.name], "The tablet sees the shared list and no other.")
        try timeline.say(.tablet, "sees the lists \(names): nothing of “Presents”")
        shown[8] = "The tablet never saw “Presents”; the phone has no rejection of the tablet’s."
    }

    private func together(_ list: SharedList, _ cast: Cast) async throws {
        try timeline.chapter("Together: what one does, the other sees")
        let server = server
        try await Limit("Both devices listen to the server").until { try await server.liveStreams() == 2 }
        try timeline.say(.server, "has 2 live streams open")

        var start = ContinuousClock.now
        try await phone.lists.setTicked(cast.seenTicked.id, true)
        _ = try await tablet.items(in: list.id, "The tablet sees the tick") {
            $0.first { $0.id == cast.seenTicked.id }?.isTicked == true
        }
        try timeline.say(
            .tablet, "sees “\(cast.seenTicked.title)” ticked \(since(start)) ms after the phone ticked it")

        start = .now
        try await tablet.lists.increase(cast.seenCounted.id, by: 2)
        let wanted = cast.seenCounted.count + 2
        _ = try await phone.items(in: list.id, "The phone sees the count") {
            $0.first { $0.id == cast.seenCounted.id }?.count == wanted
        }
        try timeline.say(
            .phone,
            "sees “\(cast.seenCounted.title)” go from \(cast.seenCounted.count) to \(wanted) "
                + "\(since(start)) ms after the tablet added 2")
    }

    private func since(_ start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .milliseconds(1))
    }
}

extension Story {
    /// Stops the story, loudly, unless `holds`.
    func expect(_ holds: Bool, _ sentence: String) throws {
        if !holds { throw broken(sentence) }
    }

    func broken(_ sentence: String) -> Failure {
        Failure(.failed, "demo", "This should have been so and was not: \(sentence)")
    }
}
