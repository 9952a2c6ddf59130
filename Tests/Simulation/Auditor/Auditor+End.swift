import Foundation
import Kith
import KithModel
import KithServer

/// The checks at the end, when everything was sent and no message is under way.
extension Auditor {
    func judgeTheEnd(of world: World) throws {
        var canonical: [FeedID: [ServerRecord]] = [:]
        for device in world.living.map({ world.devices[$0] }) {
            let content = try device.content()
            guard content.account.state == .anonymous, let account = content.account.id else { continue }
            if content.waiting > 0 {
                throw world.fail(.convergence, "\(device.name) still has \(content.waiting) edits")
            }
            let server = world.home(of: account)
            let feeds = try server.database.feeds(of: account)
            for feed in feeds {
                let records = try canonical[feed] ?? server.records(of: feed)
                canonical[feed] = records
                let lines = records.map { $0.line(heardBy: device.version) }.sorted()
                let own = try device.replica.canonicalLines(of: feed)
                if own != lines {
                    throw world.fail(
                        law(own, lines, of: device),
                        "\(device.name) and the server differ in feed \(feed):\n\(own.joined(separator: "\n"))\n— and —\n\(lines.joined(separator: "\n"))"
                    )
                }
            }
            let strangers = content.shownLists.filter { !feeds.contains($0.list.retyped(as: Feed.self)) }
            if let stranger = strangers.first {
                throw world.fail(.walls, "\(device.name) shows the list \(stranger.id), which it may not read")
            }
            let orphans = try world.records(on: device, content).filter {
                !feeds.contains($0.list.retyped(as: Feed.self))
            }
            if let orphan = orphans.first {
                throw world.fail(
                    .walls,
                    "\(device.name) keeps the \(orphan.collection) \(orphan.id) of a list that it may not read")
            }
        }
        try judgeSums(in: world)
        try judgeTexts(in: world)
        try judgeStorage(in: world)
    }

    /// Law 10: the storage that is counted for each owner is that of its feeds.
    private func judgeStorage(in world: World) throws {
        for server in world.servers {
            let (counted, actual) = try server.database.blocksOfOwners()
            if counted != actual {
                throw world.fail(
                    .bounds, "\(server.name) counts other blocks than its feeds have: \(counted), not \(actual)")
            }
        }
    }

    /// Law 1: each addition to a count that was not rejected was added exactly once.
    private func judgeSums(in world: World) throws {
        // A device that has made a record again has sent its additions to the new one.
        for (record, list, field) in sumsOnceMade() where successors[record] == nil {
            guard let server = try world.server(of: list),
                let fields = try server.database.fields(of: record, in: list.retyped()).map(server.version.said),
                let count = field.shown(fields[field.name]).integer, let first = field.standard.integer
            else { continue }
            let spot = Spot(record: record, field: field.name)
            // If one copy removed the record or its list, it withdrew edits that it had not sent; the other copy may
            // have sent them.
            let removals = actions.filter { action in
                (action.kind == .removed && action.record == record)
                    || (action.kind == .removedList && action.list == list)
            }
            let withdrawers = wasCopied ? Set(removals.map(\.seat)) : []
            let made = actions.filter { $0.record == record }
            let settled = made.filter { isSynced($0.seat, in: world) && !withdrawers.contains($0.seat) }
            let open = made.filter { !isSynced($0.seat, in: world) || withdrawers.contains($0.seat) }
            func sum(_ actions: [RecordAction]) -> Int64 {
                actions.reduce(0) {
                    if case .increased(field.name, let amount) = $1.kind { $0 + Int64(amount) } else { $0 }
                }
            }
            let rejected = rejections.filter { $0.record == record }
                .reduce(0) { $0 + ($1.values[field.name]?.integer ?? 0) }
            let least = first + sum(settled) - rejected
            let most = first + sum(settled) + sum(open) + ambiguous[spot, default: 0] - (wasCopied ? 0 : rejected)
            if !(least...max(least, most)).contains(count) {
                throw world.fail(
                    .exactlyOnce,
                    "the \(field.name) of \(record) is \(count); people added up to \(least)\(most == least ? "" : "...\(most)")"
                )
            }
        }
    }

    /// Law 2: each text that was written took effect, was superseded, or was rejected with its content.
    private func judgeTexts(in world: World) throws {
        for action in actions {
            guard isSynced(action.seat, in: world) else { continue }
            for (field, text) in action.kind.texts { try judge(text, in: field, of: action, in: world) }
        }
    }

    private func judge(_ text: String, in field: String, of action: RecordAction, in world: World) throws {
        let (record, list) = (action.record, action.list)
        // A device that has the list by copying may have made it again, and its edits are on the new records.
        let (records, lists) = (identities(of: record), identities(of: list.retyped()))
        if records.contains(where: { history[$0]?[field]?.contains(.text(text)) ?? false }) { return }
        let server = world.home(of: action.seat.account)
        let now = try server.database.fields(of: record, in: list.retyped()).map(server.version.said)
        if now?[field]?.text == text { return }
        if rejections.contains(where: { $0.values[field]?.text == text }) { return }
        // Another edit of the same field may have come later. With copies it may be the creation itself: the other copy
        // may have sent the creation without this edit, and delivery may have taken so long that the creation counts as
        // later.
        let wasOvertaken = actions.contains { other in
            guard records.contains(other.record), other.kind != action.kind, other.kind.texts[field] != nil else {
                return false
            }
            switch other.kind {
            case .created, .putBack, .madeList: return wasCopied
            default: return true
            }
        }
        if wasOvertaken { return }
        // The record or its list was removed, or the list was left, on purpose.
        let removals = actions.contains {
            ($0.kind == .removed && records.contains($0.record))
                || (($0.kind == .removedList || $0.kind == .left) && lists.contains($0.list.retyped()))
        }
        if removals { return }
        throw world.fail(
            wasRestored ? .copiesAreNoticed : .nothingSilent,
            "the \(field) “\(text)” of \(record) is nowhere: neither on the server, nor superseded, nor rejected")
    }

    /// Whether everything of a seat was sent. It must be the current account of its device, and the account must exist.
    private func isSynced(_ seat: Seat, in world: World) -> Bool {
        let device = world.devices[seat.device]
        guard !device.isLost, let content = try? device.content() else { return false }
        return content.account.id == seat.account && content.account.state == .anonymous
    }

    private func sumsOnceMade() -> [(RecordID<Never>, ListID, Field)] {
        actions.flatMap { action -> [(RecordID<Never>, ListID, Field)] in
            guard case .created(let collection, _) = action.kind else { return [] }
            return (schemas[collection]?.sums ?? []).map { (action.record, action.list, $0) }
        }
    }

    /// The law that a difference between a device and its server breaks. If the two agree in what the device's version
    /// knows, the device has not preserved the rest.
    private func law(_ own: [String], _ server: [String], of device: SimulatedDevice) -> Law {
        guard !device.version.isNewest, own.count == server.count else { return .convergence }
        return .forwardOnly
    }
}
