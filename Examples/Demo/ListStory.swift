import Foundation
import Kith
import KithModel

/// The first act: two devices edit one list, online and offline.
struct ListStory: Sendable {
    let say: Narrator
    let server: URL
    let phone, tablet: KithClient
    let list: SharedList
    let cast: Cast

    /// The port of the server, the same at each start.
    var port: Int { server.port ?? 0 }

    /// The phone creates a list. Neither device has contacted the server yet.
    init(_ say: Narrator, _ server: URL, _ folder: DemoFolder, _ document: ListDocument) async throws {
        (self.say, self.server) = (say, server)
        phone = try KithClient(KithConfiguration(server: server, storage: .directory(folder.phone)))
        tablet = try KithClient(KithConfiguration(server: server, storage: .directory(folder.tablet)))

        try say.chapter("A list that no server knows yet")
        list = try await phone.lists.create(document.name ?? "Household")
        try await phone.lists.add(document.items, to: list.id)
        let items = try await phone.lists.items(in: list.id)
        cast = Cast(items)
        let waiting = try await phone.status().waiting
        try say("phone", "makes “\(list.name)” and imports \(items.count) items; \(waiting) edits wait")
        for fault in document.faults {
            try say("phone", "cannot read line \(fault.line) of the file: \(fault.reason)")
        }
    }

    /// The phone shares its list by a link. Each device shows the edits of the other.
    func together() async throws {
        // Both devices sync until this scope ends. An app runs its client for as long as the app itself runs.
        async let _: Void = phone.run()
        async let _: Void = tablet.run()

        try await phone.syncNow()
        let status = try await phone.status()
        try say("phone", "syncs: it has an \(status.session) account now, and \(status.waiting) edits wait")

        try say.chapter("Shared by a link")
        let link = try await phone.lists.invite(to: list.id, as: .editor)
        let address = link.url ?? ""
        try say("phone", "makes a link for editors: \(address.prefix(44))…")
        let preview = try await tablet.lists.preview(link: address)
        try say("tablet", "looks at it: “\(preview.name)”, \(preview.items) items, as \(preview.role)")
        try await tablet.lists.accept(link: address)
        try await tablet.syncNow()
        let items = try await tablet.lists.items(in: list.id)
        try check(try await phone.lists.items(in: list.id) == items, "The tablet has the phone's items.")
        try say("tablet", "accepts, with an account of its own, and has the same \(items.count) items")

        try say.chapter("Together: what one does, the other shows")
        let (ticked, counted) = (cast.ticked, cast.counted)
        var start = ContinuousClock.now
        try await phone.lists.setTicked(ticked.id, true)
        try await wait(for: "The tablet shows the tick.", in: tablet.lists.liveItems(in: list.id)) { items in
            items.contains { $0.id == ticked.id && $0.isTicked }
        }
        try say("tablet", "shows “\(ticked.title)” ticked \(start.milliseconds) ms after the phone ticked it")

        start = .now
        try await tablet.lists.increase(counted.id, by: 2)
        try await wait(for: "The phone shows the count.", in: phone.lists.liveItems(in: list.id)) { items in
            items.contains { $0.id == counted.id && $0.count == counted.count + 2 }
        }
        try say("phone", "shows 2 more of “\(counted.title)” \(start.milliseconds) ms after the tablet added them")
    }

    /// Without the server, both devices edit the same items. Each device saves and shows its own edits.
    func apart() async throws {
        try say.chapter("Apart: the server is gone, and both edit the same items")
        do {
            try await phone.syncNow()
            throw StoryError("A device cannot sync without a server.")
        } catch let error as KithError where error.code == .offline {
            try say("phone", "tries to sync: “\(error.sentence)”")
        }

        try await phone.lists.update(cast.renamed.id) { $0.title += ", from the market" }
        let renamed = try await item(cast.renamed, on: phone)
        try say("phone", "renames “\(cast.renamed.title)”: it shows “\(renamed.title)”")
        try await tablet.lists.setTicked(cast.renamed.id, true)
        try check(try await item(cast.renamed, on: tablet).isTicked, "The tablet shows its tick.")
        try say("tablet", "ticks “\(cast.renamed.title)”")

        for (name, client, more) in [("phone", phone, 2), ("tablet", tablet, 3)] {
            try await client.lists.increase(cast.counted.id, by: more)
            let count = try await item(cast.counted, on: client).count
            try say(name, "adds \(more) to “\(cast.counted.title)”: it shows ×\(count)")
        }

        try await phone.lists.remove(cast.removed.id)
        try check(try await phone.lists.item(cast.removed.id) == nil, "The phone no longer shows the item.")
        try say("phone", "removes “\(cast.removed.title)”")
        try await tablet.lists.update(cast.removed.id) { $0.comment = "Only if it is fresh" }
        let comment = try await item(cast.removed, on: tablet).comment ?? ""
        try say("tablet", "writes a comment on “\(cast.removed.title)”: “\(comment)”")

        for (name, client, first, new) in [
            ("phone", phone, cast.firstOfPhone, "Candles"), ("tablet", tablet, cast.firstOfTablet, "Matches"),
        ] {
            try await client.lists.move(first.id, after: nil)
            try await client.lists.add(new, to: list.id)
            let items = try await client.lists.items(in: list.id)
            try check(items.first?.id == first.id && items.last?.title == new, "The \(name) shows its own order.")
            try say(name, "puts “\(first.title)” first and adds “\(new)” at the end")
        }

        try await tablet.lists.update(cast.titled.id) { $0.title += " (as the tablet wants)" }
        try say("tablet", "has a better title: “\(try await item(cast.titled, on: tablet).title)”")
        // The later title wins. The pause makes the order independent of the load of this machine.
        try await Task.sleep(for: .seconds(2))
        try await phone.lists.update(cast.titled.id) { $0.title += " (as the phone wants)" }
        try say("phone", "has one too, 2 seconds later: “\(try await item(cast.titled, on: phone).title)”")

        let (here, there) = (try await phone.status().waiting, try await tablet.status().waiting)
        try say("both", "keep what they cannot send: \(here) edits wait on the phone, \(there) on the tablet")
    }

    /// The server is back. Both devices sync, and each conflict has the same outcome on both.
    func merge() async throws {
        try say.chapter("Back: both sync, and no edit is lost without notice")
        // The phone syncs first, so the tablet's comment on the removed item arrives too late.
        for device in [phone, tablet, phone] { try await device.syncNow() }
        let (here, there) = (try await phone.status().waiting, try await tablet.status().waiting)
        try say("both", "have synced: \(here) edits wait on the phone, \(there) on the tablet")

        let rejections = try await tablet.rejections()
        guard let rejection = rejections.first, case .text(let comment)? = rejection.values["comment"] else {
            throw StoryError("The tablet gets its comment on the removed item back. It has \(rejections).")
        }
        try say("tablet", "is told “\(rejection.sentence)” (\(rejection.code)) and gets back “\(comment)”")
        try await tablet.dismiss(rejection.id)
        let (renamed, counted) = (try await item(cast.renamed, on: tablet), try await item(cast.counted, on: tablet))
        try check(renamed.title != cast.renamed.title && renamed.isTicked, "The new name and the tick are both there.")
        try check(counted.count == cast.counted.count + 7, "What both have added adds up.")
        let title = try await item(cast.titled, on: tablet).title
        try check(title == cast.titled.title + " (as the phone wants)", "The later title wins: “\(title)”.")
        try check(try await tablet.lists.item(cast.removed.id) == nil, "What was removed stays removed.")

        try say.chapter("The end: one list, on both devices")
        let mine = try await phone.lists.items(in: list.id)
        let theirs = try await tablet.lists.items(in: list.id)
        let added = mine.suffix(2).map { ($0, "added by one") }
        let touched = [
            (cast.ticked, "ticked while the other looked on"), (cast.renamed, "renamed by one, ticked by the other"),
            (cast.counted, "counted up by both"), (cast.titled, "titled by both: the later title"),
            (cast.removed, "removed by one, edited by the other"), (cast.firstOfPhone, "put first by the phone"),
            (cast.firstOfTablet, "put first by the tablet"),
        ]
        try say.table(
            ["phone", "tablet", "what happened", "item"],
            (touched + added).map { item, what in
                let title = mine.first { $0.id == item.id }?.title ?? item.title
                return [look(item, in: mine), look(item, in: theirs), what, title]
            })
        let equal = zip(mine, theirs).count { $0 == $1 }
        try check(equal == mine.count && equal == theirs.count, "All items are equal; \(equal) of \(mine.count) are.")
        try say("both", "show the same: \(equal) of \(mine.count) items are equal in every field and in order")
    }

    private func item(_ item: ListItem, on client: KithClient) async throws -> ListItem {
        guard let found = try await client.lists.item(item.id) else { throw StoryError("“\(item.title)” is gone.") }
        return found
    }

    /// “#12 ☑ ×3”: position, tick and count.
    private func look(_ item: ListItem, in items: [ListItem]) -> String {
        guard let index = items.firstIndex(where: { $0.id == item.id }) else { return "gone" }
        return "#\(index + 1) \(items[index].isTicked ? "☑" : "☐") ×\(items[index].count)"
    }
}
