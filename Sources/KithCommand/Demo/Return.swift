import Foundation
import Kith
import KithModel

extension Story {
    /// The server comes back, is killed while it takes the phone's edits, and comes back for good.
    mutating func comeBack(_ list: SharedList, _ cast: Cast, _ apart: Apart) async throws {
        try timeline.chapter("Back: and the server is killed once more, in the middle of it")
        try await server.start()
        try timeline.say(.server, "is started again on the same port, as process \(server.id ?? 0)")

        let kill = try await killInTheMiddle(cast)
        let waiting = try await phone.client.status().waiting
        try await server.start()
        try timeline.say(.server, "is started again, as process \(server.id ?? 0)")
        let fresh = try await freshDevice()
        let ticked = try await count(of: cast.together, in: fresh) { $0.isTicked == kill.ticks }
        try expect(ticked == 0 || ticked == cast.together.count, "The server has all ticks of one write, or none.")
        let wasTaken = ticked > 0
        try timeline.say(
            .fresh,
            "signs in as the phone and reads the server: \(ticked) of the \(cast.together.count) ticks of one write. "
                + (wasTaken ? "It had saved the edits, but never said so" : "It had saved nothing yet"))
        shown[6] = "Killed while it wrote, the server had \(ticked) of \(cast.together.count) ticks of one write."

        phone.goOnline()
        try await phone.catchUp()
        try timeline.say(.phone, "comes back: what waited (\(waiting.things("edit"))) is sent and acknowledged")
        let sum = cast.countedTwice.count + 2 + kill.added
        try expect(try await item(phone, cast.countedTwice.id).count == sum, "No addition counts twice or is lost.")
        shown[1] =
            wasTaken
            ? "The server died after it had saved the phone’s edits and before it said so. Sent again, they counted once."
            : "The server died before it had saved the phone’s edits. Sent again, they counted once."

        tablet.goOnline()
        try await tablet.catchUp()
        try timeline.say(.tablet, "comes back and sends what waited")
        try await reject(cast, apart)
        let (lists, phone) = (tablet.lists, phone)
        try await Limit("The phone has heard of the tablet’s edits").until {
            try await phone.lists.items(in: list.id) == lists.items(in: list.id)
        }
        try timeline.say(.phone, "hears of the tablet’s edits")
        try await verify(cast, apart, sum: sum + 3)
    }

    /// Kills the server at the moment it writes the phone's edits; if it was quicker, with new edits once more.
    ///
    /// - Returns: How much those new edits added to a count, and whether the last write ticked or unticked.
    private func killInTheMiddle(_ cast: Cast) async throws -> (added: Int, ticks: Bool) {
        for attempt in 0..<5 {
            let ticks = attempt % 2 == 0
            if attempt > 0 {
                try await server.start()
                try await phone.client.write { changes in
                    try changes.increase(cast.countedTwice.id, by: 1)
                    for item in cast.together { try changes.setTicked(item.id, ticks) }
                }
                try timeline.say(
                    .phone,
                    "got its answer before the kill; it adds 1 more, turns those ticks in one write, and tries again")
            }
            let log = DatabaseLog(of: server.database)
            let before = log.state
            let phone = phone
            let round = Task { try await phone.client.syncNow() }
            try await Limit("The server writes what the phone sends").until(every: .milliseconds(1)) {
                log.state != before
            }
            await server.kill()
            if case .failure(let error) = await round.result {
                let status = try await phone.client.status()
                try timeline.say(.server, "is killed (SIGKILL) while it writes what the phone has sent")
                let sentence = (error as? KithError)?.sentence ?? "\(error)"
                try timeline.say(.phone, "hears no answer: “\(sentence)” \(status.waiting.things("edit")) wait still")
                return (attempt, ticks)
            }
        }
        throw broken("One of five kills hits the server while it answers.")
    }

    /// A new device, with nothing on it, that signs in as the phone: what it then has is what the server has.
    func freshDevice() async throws -> Device {
        guard let token = try await phone.client.session.token() else { throw broken("The phone keeps its token.") }
        let fresh = try Device(server: server.url, storage: .inMemory)
        _ = try await fresh.client.session.activate(token: token)
        try await fresh.catchUp()
        return fresh
    }

    /// The tablet's edit of what the phone had removed comes back with its content.
    private mutating func reject(_ cast: Cast, _ apart: Apart) async throws {
        let rejections = try await tablet.client.rejections()
        guard let rejection = rejections.first, rejections.count == 1,
            rejection.record == cast.removedAndEdited.id.retyped(),
            rejection.values["comment"] == .text(apart.comment)
        else { throw broken("The tablet has one rejection, with the comment that was lost. It has: \(rejections)") }
        try expect(try await phone.client.rejections().isEmpty, "The phone has no rejection.")
        try timeline.say(
            .tablet,
            "is told: “\(rejection.sentence)” (\(rejection.code)) and gets its “\(apart.comment)” back")
        try await tablet.client.dismiss(rejection.id)
        try expect(try await tablet.client.rejections().isEmpty, "A dismissed rejection is gone.")
        shown[2] = "The comment on the removed item came back as a rejection with its text, and blocked nothing."
    }

    /// Every conflict ended as the laws say, read on the tablet.
    private func verify(_ cast: Cast, _ apart: Apart, sum: Int) async throws {
        let both = try await item(tablet, cast.renamedAndTicked.id)
        try expect(both.title == apart.newName && both.isTicked, "A rename and a tick both survive.")
        try timeline.say(.all, "rename against tick: “\(both.title)” is renamed and ticked")

        let counted = try await item(tablet, cast.countedTwice.id)
        try expect(counted.count == sum, "Additions add up to \(sum); it is \(counted.count).")
        try timeline.say(.all, "count against count: “\(counted.title)” went from \(cast.countedTwice.count) to \(sum)")

        let titled = try await item(tablet, cast.titledTwice.id)
        try expect(titled.title == apart.phonesTitle, "The later title wins; it is “\(titled.title)”.")
        try timeline.say(
            .all, "title against title: the later one, “\(titled.title)”, though the other arrived after it")

        for removed in [cast.removedAndEdited, cast.removedTwice] {
            try expect(try await tablet.lists.item(removed.id) == nil, "What was removed stays removed.")
        }
        try timeline.say(.all, "removal against edit: “\(cast.removedAndEdited.title)” stays removed")
        try timeline.say(.all, "removal against removal: “\(cast.removedTwice.title)” is removed")

        let items = try await tablet.lists.items(in: both.listID)
        let first = items.prefix(2).map(\.id)
        try expect(
            Set(first) == [cast.firstOfPhone.id, cast.firstOfTablet.id], "What both put first stands first.")
        try timeline.say(.all, "first against first: “\(items[0].title)”, then “\(items[1].title)”")
        for added in [apart.addedByPhone, apart.addedByTablet] {
            try expect(items.filter { $0.id == added.id }.count == 1, "“\(added.title)” is there once.")
        }
    }
}

/// The server's write-ahead log, by which one sees from outside that it writes.
private struct DatabaseLog: Sendable {
    let path: String

    init(of database: URL) {
        path = database.path() + "-wal"
    }

    struct State: Hashable, Sendable {
        let size: UInt64?
        let modified: Date?
    }

    var state: State {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return State(size: attributes?[.size] as? UInt64, modified: attributes?[.modificationDate] as? Date)
    }
}
