import Foundation
import Kith
import KithModel

/// What was edited while the devices were apart, and is looked for when they are back.
struct Apart: Sendable {
    var newName = ""
    var phonesTitle = ""
    var tabletsTitle = ""
    var comment = ""
    var addedByPhone: ListItem
    var addedByTablet: ListItem
    /// How much both together added to one count.
    var added = 0
}

extension Story {
    /// Both go offline and edit the same items.
    mutating func editApart(_ list: SharedList, _ cast: Cast) async throws -> Apart {
        try timeline.chapter("Apart: both offline, the server killed, and both edit the same items")
        await phone.goOffline()
        await tablet.goOffline()
        await server.kill()
        try timeline.say(.server, "is killed (SIGKILL)")
        for (who, device) in [(Timeline.Who.phone, phone), (.tablet, tablet)] {
            try timeline.say(who, "tries to sync: “\(try await refusal(of: device))”")
        }

        var apart = Apart(
            addedByPhone: try await phone.lists.add("Candles", to: list.id, category: "Added offline"),
            addedByTablet: try await tablet.lists.add("Matches", to: list.id, category: "Added offline"))
        apart.newName = cast.renamedAndTicked.title + ", the big one"
        apart.tabletsTitle = cast.titledTwice.title + " (as the tablet wants)"
        apart.phonesTitle = cast.titledTwice.title + " (as the phone wants)"
        apart.comment = "Only if it is fresh"
        try timeline.say(.phone, "adds “\(apart.addedByPhone.title)”")
        try timeline.say(.tablet, "adds “\(apart.addedByTablet.title)”")

        try await tabletEdits(cast, &apart)
        let tabletWasDone = ContinuousClock.now
        try await phoneEdits(list, cast, &apart)
        // Which of two titles is the later must not depend on how busy this machine is.
        try await Task.sleep(until: tabletWasDone + .milliseconds(2_500))
        try await edit(phone, cast.titledTwice.id) { $0.title = apart.phonesTitle }
        try timeline.say(.phone, "over two seconds later calls the same item “\(apart.phonesTitle)”")

        let (onPhone, onTablet) = (try await phone.client.status().waiting, try await tablet.client.status().waiting)
        try expect(onPhone > 0 && onTablet > 0, "What was edited offline waits.")
        try timeline.say(
            .all, "each shows its own edits at once; \(onPhone) wait on the phone, \(onTablet) on the tablet")
        shown[4] = "Each offline edit was read back through a getter right after it was made."
        return apart
    }

    private mutating func tabletEdits(_ cast: Cast, _ apart: inout Apart) async throws {
        try await tablet.lists.setTicked(cast.renamedAndTicked.id, true)
        try expect(try await item(tablet, cast.renamedAndTicked.id).isTicked, "The tablet shows its tick.")
        try timeline.say(.tablet, "ticks “\(cast.renamedAndTicked.title)”")

        try await increase(tablet, cast.countedTwice.id, by: 3)
        apart.added += 3
        try timeline.say(.tablet, "adds 3 to “\(cast.countedTwice.title)”, which was \(cast.countedTwice.count)")

        try await edit(tablet, cast.titledTwice.id) { $0.title = apart.tabletsTitle }
        try timeline.say(.tablet, "calls “\(cast.titledTwice.title)” “\(apart.tabletsTitle)”")

        try await edit(tablet, cast.removedAndEdited.id) { $0.comment = apart.comment }
        try timeline.say(.tablet, "writes to “\(cast.removedAndEdited.title)”: “\(apart.comment)”")

        try await remove(tablet, cast.removedTwice)
        try await tablet.lists.move(cast.firstOfTablet.id, after: nil)
        let items = try await tablet.lists.items(in: cast.lastOfTablet.listID)
        try await tablet.lists.move(cast.lastOfTablet.id, after: items.last?.id)
        let moved = try await tablet.lists.items(in: cast.lastOfTablet.listID)
        try expect(
            moved.first?.id == cast.firstOfTablet.id && moved.last?.id == cast.lastOfTablet.id,
            "The tablet shows its own order.")
        try timeline.say(
            .tablet, "puts “\(cast.firstOfTablet.title)” first and “\(cast.lastOfTablet.title)” last")
    }

    private mutating func phoneEdits(_ list: SharedList, _ cast: Cast, _ apart: inout Apart) async throws {
        let newName = apart.newName
        try await edit(phone, cast.renamedAndTicked.id) { $0.title = newName }
        try timeline.say(.phone, "renames “\(cast.renamedAndTicked.title)” to “\(apart.newName)”")

        try await increase(phone, cast.countedTwice.id, by: 2)
        apart.added += 2
        try timeline.say(.phone, "adds 2 to “\(cast.countedTwice.title)”, which was \(cast.countedTwice.count)")

        try await remove(phone, cast.removedAndEdited)
        try await remove(phone, cast.removedTwice)
        try await phone.lists.move(cast.firstOfPhone.id, after: nil)
        let first = try await phone.lists.items(in: list.id).first
        try expect(first?.id == cast.firstOfPhone.id, "The phone shows its own order.")
        try timeline.say(.phone, "puts “\(cast.firstOfPhone.title)” first")

        try await phone.client.write { changes in
            for item in cast.together { try changes.setTicked(item.id, true) }
        }
        let ticked = try await count(of: cast.together, in: phone) { $0.isTicked }
        try expect(ticked == cast.together.count, "The phone shows all ticks of one write.")
        try timeline.say(.phone, "ticks \(ticked) others in one write: all of them, or none")

        do {
            try await phone.lists.add(String(repeating: "x", count: 501), to: list.id)
            throw broken("A title of 501 characters is refused.")
        } catch let error as KithError where error.code == .invalid {
            try timeline.say(
                .phone, "tries a title of 501 characters and is refused: \(error.sentence) Nothing has changed")
            shown[10] = "A title of 501 characters was refused, with its limit, and changed nothing."
        }
    }

    /// What the device says when it cannot reach the server.
    private func refusal(of device: Device) async throws -> String {
        do {
            try await device.client.syncNow()
        } catch let error as KithError where error.code == .offline {
            return error.sentence
        }
        throw broken("A sync without a server fails as offline.")
    }

    private func edit(_ device: Device, _ id: ItemID, _ change: (inout ListItem) -> Void) async throws {
        var item = try await item(device, id)
        change(&item)
        try await device.lists.update(item)
        let read = try await self.item(device, id)
        try expect(read.title == item.title && read.comment == item.comment, "A getter shows the device’s own edit.")
    }

    private func increase(_ device: Device, _ id: ItemID, by amount: Int) async throws {
        let before = try await item(device, id).count
        try await device.lists.increase(id, by: amount)
        try expect(try await item(device, id).count == before + amount, "A getter shows the device’s own addition.")
    }

    private func remove(_ device: Device, _ item: ListItem) async throws {
        try await device.lists.remove(item.id)
        try expect(try await device.lists.item(item.id) == nil, "What was removed is gone at once.")
        try timeline.say(device === phone ? .phone : .tablet, "removes “\(item.title)”")
    }

    func item(_ device: Device, _ id: ItemID) async throws -> ListItem {
        guard let item = try await device.lists.item(id) else { throw broken("The item \(id) is there.") }
        return item
    }

    func count(of items: [ListItem], in device: Device, where holds: (ListItem) -> Bool) async throws -> Int {
        var count = 0
        for item in items where holds(try await self.item(device, item.id)) { count += 1 }
        return count
    }
}
