import Kith
import KithModel

/// What people do on their devices.
extension World {
    func edit(_ index: Int) throws {
        let look = try devices[index].replica.look()
        let lists = look.lists.filter { $0.role >= .editor }
        guard let list = lists.randomElement(using: &random), !random.oneIn(8) else {
            return try makeList(index, look)
        }
        let items = look.items.filter { $0.listID == list.id }
        guard let item = items.randomElement(using: &random), !random.oneIn(4) else {
            let title = fresh("item")
            return try change(index, "adds \(title) to \(list.id)") { changes in
                let item = try changes.add(title, to: list.id)
                self.auditor.created(item.id, in: list.id, title)
            }
        }
        let version = devices[index].version
        switch Int.random(in: 0..<16, using: &random) {
        case 0 where hazards.versions && version.knows("comment", of: .items):
            let comment = fresh("comment")
            try change(index, "says “\(comment)” of \(item.id)") { changes in
                var item = item
                item.comment = comment
                try changes.update(item)
                self.auditor.commented(item.id, in: list.id, comment)
            }
        case 1 where hazards.versions && version.knows("category", of: .items):
            try change(index, "puts \(item.id) under a heading") { changes in
                var item = item
                item.category = self.fresh("heading")
                try changes.update(item)
            }
        case 0..<5:
            let title = fresh("title")
            try change(index, "renames \(item.id) to \(title)") { changes in
                var item = item
                item.title = title
                try changes.update(item)
                self.auditor.renamed(item.id, in: list.id, title)
            }
        case 5..<9:
            let amount = Int.random(in: 1...9, using: &random)
            try change(index, "adds \(amount) to the count of \(item.id)") { changes in
                try changes.increase(item.id, by: amount)
                self.auditor.increased(item.id, in: list.id, by: amount)
            }
        case 9..<11:
            try change(index, "ticks \(item.id)") { try $0.setTicked(item.id, !item.isTicked) }
        case 11:
            let other = items.randomElement(using: &random)
            try change(index, "moves \(item.id)") { changes in
                try changes.move(item.id, after: other?.id == item.id ? nil : other?.id)
            }
        case 12:
            try change(index, "removes \(item.id)") { changes in
                try changes.remove(item.id)
                self.auditor.removed(item.id)
            }
        case 13:
            let (first, second) = (fresh("item"), fresh("title"))
            let story = "adds \(first) and renames \(item.id) to \(second), together"
            try change(index, story, together: true) { changes in
                let added = try changes.add(first, to: list.id)
                var item = item
                item.title = second
                try changes.update(item)
                self.auditor.created(added.id, in: list.id, first)
                self.auditor.renamed(item.id, in: list.id, second)
            }
        case 14 where list.role == .owner && random.oneIn(3):
            try change(index, "removes the list \(list.id)") { changes in
                try changes.remove(list.id)
                self.auditor.removedList(list.id)
            }
        case 14 where list.role != .owner && random.oneIn(3):
            try change(index, "leaves \(list.id)") { changes in
                try changes.leave(list.id)
                self.auditor.left(list.id)
            }
        default:
            var renamed = list
            renamed.name = fresh("list")
            if hazards.versions && version.knows("theme", of: .lists) { renamed.theme = fresh("theme") }
            try change(index, "renames the list \(list.id)") { [renamed] in try $0.update(renamed) }
        }
    }

    private func makeList(_ index: Int, _ look: Replica.Look) throws {
        guard look.lists.count < 3 else { return }
        let name = fresh("list")
        try change(index, "makes the list \(name)") { changes in
            let list = try changes.create(name)
            self.auditor.made(list.id, name)
        }
    }

    /// A text that nobody else writes, so that it can be followed.
    private func fresh(_ kind: String) -> String { "\(kind) \(step)" }

    /// What a device refuses by itself.
    private static let refusals: [KithError.Code] = [
        .forbidden, .notFound, .invalid, .yourself, .alreadyConnected, .noRequest, .tooSoon,
    ]

    /// One write on a device, which may crash in the middle.
    func change(
        _ index: Int, _ what: String, together: Bool = false, _ body: (Changes) throws -> Void
    ) throws {
        let device = devices[index]
        let before = try device.replica.look()
        auditor.begin(index, account: before.account.id)
        do {
            try device.replica.writeNow { try body(Changes($0, isGroup: together)) }
            note("\(device.name): \(what)")
            auditor.commit()
        } catch is Crash {
            note("\(device.name): \(what)")
            let wasCommitted = device.crash.now == .afterCommit
            try recover(index)
            let after = try device.replica.look()
            if wasCommitted {
                auditor.commit()
            } else {
                auditor.rollBack()
                if before.lists != after.lists || before.items != after.items || before.contacts != after.contacts
                    || before.waiting != after.waiting
                {
                    throw fail("Law 6: All or nothing", "a write that crashed before its commit left something behind")
                }
            }
        } catch let error as KithError where Self.refusals.contains(error.code) {
            // What the device itself knows to be forbidden changes nothing.
            note("\(device.name): \(what): \(error.code)")
            auditor.rollBack()
        }
    }
}
