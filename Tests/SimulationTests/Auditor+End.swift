import Foundation
import Kith
import KithModel
import KithServer

/// The last judgement: everything has been sent, and nothing is on its way.
extension Auditor {
    func judgeTheEnd(of world: World) throws {
        var canonical: [FeedID: [String]] = [:]
        for device in world.devices {
            let look = try device.replica.look()
            guard look.account.state == .anonymous, let account = look.account.id else { continue }
            if look.waiting > 0 {
                throw world.fail("Law 3: Convergence", "\(device.name) still has \(look.waiting) edits")
            }
            let feeds = try world.server.feeds(of: account)
            for feed in feeds {
                let lines = try canonical[feed] ?? world.server.canonicalLines(of: feed)
                canonical[feed] = lines
                let own = try device.replica.canonicalLines(of: feed)
                if own != lines {
                    throw world.fail(
                        "Law 3: Convergence",
                        "\(device.name) and the server differ in feed \(feed):\n\(own.joined(separator: "\n"))\n— and —\n\(lines.joined(separator: "\n"))"
                    )
                }
            }
            let strangers = look.lists.filter { !feeds.contains($0.id.retyped(as: Feed.self)) }
            if let stranger = strangers.first {
                throw world.fail("Law 8: Walls", "\(device.name) shows the list \(stranger.id), which it may not read")
            }
            let orphans = look.items.filter { item in !feeds.contains(item.listID.retyped(as: Feed.self)) }
            if let orphan = orphans.first {
                throw world.fail(
                    "Law 8: Walls", "\(device.name) keeps the item \(orphan.id) of a list that it may not read")
            }
        }
        try judgePeopleAtTheEnd(in: world)
        try judgeSums(in: world)
        try judgeTitles(in: world)
    }

    /// Law 1: what was added to a count, and not rejected, was added once.
    private func judgeSums(in world: World) throws {
        for (item, list) in itemsOnceMade() {
            guard let count = try world.server.count(of: item, in: list) else { continue }
            // Who removed the item on one copy took back there what the server never heard of; the other copy sent it.
            let withdrawers = Set(
                deeds.filter { wasCopied && $0.item == item && $0.kind == .removed }.map(\.seat))
            let made = deeds.filter { $0.item == item }
            let settled = made.filter { isSynced($0.seat, in: world) && !withdrawers.contains($0.seat) }
            let open = made.filter { !isSynced($0.seat, in: world) || withdrawers.contains($0.seat) }
            func sum(_ deeds: [Deed]) -> Int {
                deeds.reduce(0) { if case .increased(let amount) = $1.kind { $0 + amount } else { $0 } }
            }
            let rejected = rejections.filter { $0.record.uuid == item.uuid }
                .reduce(0) { $0 + Int($1.values["count"]?.integer ?? 0) }
            let least = 1 + sum(settled) - rejected
            let most = 1 + sum(settled) + sum(open) + ambiguous[item, default: 0] - (wasCopied ? 0 : rejected)
            if !(least...max(least, most)).contains(count) {
                throw world.fail(
                    "Law 1: Exactly once",
                    "the count of \(item) is \(count); people added up to \(least)\(most == least ? "" : "...\(most)")")
            }
        }
    }

    /// Law 2: each title that someone wrote took effect, gave way to another, or was rejected with its content.
    private func judgeTitles(in world: World) throws {
        for deed in deeds {
            guard let item = deed.item, let list = deed.list, isSynced(deed.seat, in: world) else { continue }
            let title: String
            switch deed.kind {
            case .created(let text), .renamed(let text): title = text
            default: continue
            }
            if history[item]?.contains(title) ?? false { continue }
            if try world.server.title(of: item.retyped(), in: list.retyped()) == title { continue }
            if rejections.contains(where: { $0.values["title"]?.text == title }) { continue }
            // Another edit of the same title, which may have come later. Of a copy it may be the creation itself,
            // which the other has sent without this edit, and whose message took longer than the edit is younger.
            let wasOvertaken = deeds.contains { other in
                guard other.item == item, other.kind != deed.kind else { return false }
                switch other.kind {
                case .renamed: return true
                case .created: return wasCopied
                default: return false
                }
            }
            if wasOvertaken { continue }
            // Taken back, or gone together with its list, by someone's own doing.
            let removals = deeds.contains {
                ($0.kind == .removed && $0.item == item)
                    || (($0.kind == .removedList || $0.kind == .left) && $0.list == list)
            }
            if removals { continue }
            throw world.fail(
                "Law 2: Nothing silent",
                "“\(title)” of \(item) is nowhere: neither on the server, nor superseded, nor rejected")
        }
    }

    /// Whether everything of a seat has been sent: it is the current one of its device, and its account is alive.
    private func isSynced(_ seat: Seat, in world: World) -> Bool {
        guard let look = try? world.devices[seat.device].replica.look() else { return false }
        return look.account.id == seat.account && look.account.state == .anonymous
    }

    private func itemsOnceMade() -> [(ItemID, ListID)] {
        deeds.compactMap { deed in
            guard case .created = deed.kind, let item = deed.item, let list = deed.list else { return nil }
            return (item, list)
        }
    }
}

extension SQLiteDatabase {
    func feeds(of account: AccountID) throws -> [FeedID] {
        let lists = try readNow { transaction in
            try transaction.query("SELECT feed FROM access WHERE account = ? ORDER BY feed", [.id(account)]).map {
                try $0.id(0) as FeedID
            }
        }
        return lists.contains(account.retyped()) ? lists : lists + [account.retyped()]
    }

    func canonicalLines(of feed: FeedID) throws -> [String] {
        try readNow { transaction in
            try transaction.query(
                "SELECT collection, id, sequence, modified, fields FROM record WHERE feed = ? AND deleted = 0",
                [.id(feed)]
            ).map { row in
                try CanonicalForm.line(
                    collection: RecordCollection(rawValue: row.text(0)), id: row.id(1), sequence: row.integer(2),
                    modified: row.time(3),
                    fields: JSONDecoder().decode(Fields.self, from: Data(row.text(4).utf8)))
            }.sorted()
        }
    }

    func count(of item: ItemID, in list: ListID) throws -> Int? {
        try readNow { transaction in
            guard
                let row = try transaction.query(
                    "SELECT fields FROM record WHERE feed = ? AND id = ? AND deleted = 0", [.id(list), .id(item)]
                ).first
            else { return nil }
            let fields = try JSONDecoder().decode(Fields.self, from: Data(row.text(0).utf8))
            return Int(fields["count"]?.integer ?? 1)
        }
    }
}
