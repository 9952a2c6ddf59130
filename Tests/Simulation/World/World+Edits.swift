import Kith
import KithModel

/// What people do with items on their devices.
extension World {
    func edit(_ index: Int) throws {
        let look = try devices[index].look()
        if random.oneIn(12) { return try reconsider(index, look) }
        let lists = look.lists.filter { $0.role >= .editor }
        guard let list = lists.randomElement(using: &random), !random.oneIn(8) else {
            return try editLists(index, look)
        }
        let items = look.items.filter { $0.listID == list.id }
        guard let item = items.randomElement(using: &random), !random.oneIn(4) else {
            return try add(fresh("item"), to: list, index)
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: try write(index, item)
        case 3..<7:
            let title = fresh("title")
            try change(index, "renames \(item.id) to \(title)") { changes in
                try changes.update(item.id, in: list.id) { $0.title = title }
                self.auditor.wrote("title", .text(title), of: item.id, in: list.id)
            }
        case 7..<11:
            let amount = Int.random(in: 1...9, using: &random)
            try change(index, "adds \(amount) to the count of \(item.id)") { changes in
                try changes.increase(item.id, by: amount)
                self.auditor.increased("count", of: item.id, in: list.id, by: amount)
            }
        case 11..<13:
            try change(index, "ticks \(item.id)") { changes in
                try changes.setTicked(item.id, !item.isTicked)
                self.auditor.wrote("ticked", .flag(!item.isTicked), of: item.id, in: list.id)
            }
        case 13..<15: try move(item, after: items.randomElement(using: &random), index)
        case 15: try remove([item], in: list, index)
        case 16: try remove(items.filter { _ in random.oneIn(3) }, in: list, index)
        case 17: try merge(item, in: list, index)
        case 18: try move(item, to: lists.randomElement(using: &random), index)
        default:
            let (first, second) = (fresh("item"), fresh("title"))
            let story = "adds \(first) and renames \(item.id) to \(second), together"
            try change(index, story, together: true) { changes in
                let added = try changes.add(first, to: list.id)
                self.auditor.created(added.id, of: .items, in: list.id, ["title": first])
                try changes.update(item.id, in: list.id) { $0.title = second }
                self.auditor.wrote("title", .text(second), of: item.id, in: list.id)
            }
        }
    }

    private func add(_ title: String, to list: SharedList, _ index: Int) throws {
        try change(index, "adds \(title) to \(list.id)") { changes in
            let item = try changes.add(title, to: list.id)
            self.auditor.created(item.id, of: .items, in: list.id, ["title": title])
        }
    }

    /// Writes another field of an item that the device's version knows.
    private func write(_ index: Int, _ item: ListItem) throws {
        let fields = ["comment", "category", "offer"].filter { devices[index].version.knows($0, of: .items) }
        guard let field = fields.randomElement(using: &random) else { return }
        let text = fresh(field)
        try change(index, "writes “\(text)” as the \(field) of \(item.id)") { changes in
            try changes.update(item.id, in: item.listID) { item in
                switch field {
                case "comment": item.comment = text
                case "category": item.category = text
                default: item.offer = text
                }
            }
            self.auditor.wrote(field, .text(text), of: item.id, in: item.listID)
        }
    }

    /// Moves an item to the place after another, or first. The move must be visible at once, and the others keep their
    /// order.
    private func move(_ item: ListItem, after other: ListItem?, _ index: Int) throws {
        let predecessor = other?.id == item.id ? nil : other?.id
        try change(index, "puts \(item.id) after \(predecessor?.description ?? "none")") { changes in
            let before = try changes.items(in: item.listID)
            try changes.move(item.id, in: item.listID, after: predecessor)
            let after = try changes.items(in: item.listID)
            try self.judgeMove(of: item.id, after: predecessor, before.map(\.id), after.map(\.id))
            let places = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0.position) })
            for moved in after where places[moved.id] != moved.position {
                self.auditor.wrote("position", .text(moved.position.text), of: moved.id, in: moved.listID)
            }
        }
    }

    /// Judges that what was moved stands after its predecessor, or first, and that the others keep their order.
    func judgeMove<Record>(
        of id: RecordID<Record>, after predecessor: RecordID<Record>?, _ before: [RecordID<Record>],
        _ after: [RecordID<Record>]
    ) throws {
        var order = before.filter { $0 != id }
        order.insert(id, at: predecessor.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
        if after != order { throw fail(.readYourWrites, "\(id) does not stand where it was put") }
    }

    /// Moves an item to another list, if there is one, by creating it there and removing it here in one group.
    private func move(_ item: ListItem, to list: SharedList?, _ index: Int) throws {
        guard let list, list.id != item.listID else { return }
        let title = fresh("item")
        try change(index, "moves \(item.id) to \(list.id), as \(title)", together: true) { changes in
            let added = try changes.add(title, to: list.id)
            self.auditor.created(added.id, of: .items, in: list.id, ["title": title])
            try changes.remove(item.id, in: item.listID)
            self.auditor.removed(item.id, in: item.listID)
        }
    }

    private func remove(_ items: [ListItem], in list: SharedList, _ index: Int) throws {
        guard !items.isEmpty else { return }
        var removal: Removal?
        let isDone = try change(index, "removes \(items.map(\.id))") { changes in
            removal = try changes.remove(items.map(\.id), in: list.id)
            for item in items { self.auditor.removed(item.id, in: list.id) }
        }
        if isDone, let removal { devices[index].removal = try removed(removal, items: items, by: index) }
    }

    /// Merges two items that look the same. If there are none, creates one.
    private func merge(_ item: ListItem, in list: SharedList, _ index: Int) throws {
        let title = item.title.uppercased()
        try change(index, "merges what looks alike in \(list.id), or adds \(title)", together: true) { changes in
            guard let twins = try changes.duplicates(in: list.id).first else {
                let twin = try changes.add(title, to: list.id)
                return self.auditor.created(twin.id, of: .items, in: list.id, ["title": title])
            }
            let more = twins.others.reduce(0) { $0 + $1.count }
            let merged = try changes.merge(twins)
            guard merged.count == twins.kept.count + more else {
                throw self.fail(.readYourWrites, "the count of \(merged.id) is not that of those it was made of")
            }
            self.auditor.increased("count", of: merged.id, in: list.id, by: more)
            if let comment = merged.comment, twins.kept.comment == nil {
                self.auditor.wrote("comment", .text(comment), of: merged.id, in: list.id)
            }
            for other in twins.others { self.auditor.removed(other.id, in: list.id) }
        }
    }

    /// A text that nobody else writes, so that it can be tracked.
    func fresh(_ kind: String) -> String {
        let text = "\(kind) \(step)"
        return random.oneIn(4) ? text + (Self.scripts.randomElement(using: &random) ?? "") : text
    }

    /// Difficult endings of texts: composed and decomposed, right to left, joined, beyond 16 bits, and escaped.
    private static let scripts = [
        " é", " e\u{301}", " ﷺ", " שלום", " 👩‍👩‍👧", " 𝔎", " \"q\" \\", " a\nb", " \u{FEFF}", " İı", " ％s", " \u{7F}",
    ]

    /// The errors with which a device itself refuses an edit.
    private static let refusals: [KithError.Code] = [
        .forbidden, .notFound, .invalid, .yourself, .alreadyConnected, .noRequest, .tooSoon,
    ]

    /// Makes one write on a device, which may crash during it.
    ///
    /// - Returns: Whether the write was made.
    @discardableResult
    func change(
        _ index: Int, _ what: String, together: Bool = false, _ body: (Changes) throws -> Void
    ) throws -> Bool {
        let device = devices[index]
        let before = try device.look()
        auditor.begin(index, account: before.account.id, together: together)
        do {
            try device.replica.writeNow { try body(Changes($0, isGroup: together)) }
            note("\(device.name): \(what)")
            auditor.commit()
            try tell(index, .edited)
            return true
        } catch is Crash {
            note("\(device.name): \(what)")
            let wasCommitted = try recover(index)
            let after = try device.look()
            if wasCommitted {
                auditor.commit()
            } else {
                auditor.rollBack()
                if after.isChanged(from: before) {
                    throw fail(.allOrNothing, "a write that crashed before its commit left something behind")
                }
            }
            return wasCommitted
        } catch let error as KithError where Self.refusals.contains(error.code) {
            // An edit that the device itself refuses must change nothing.
            note("\(device.name): \(what): \(error.code)")
            auditor.rollBack()
            let after = try device.look()
            guard before.lists == after.lists, before.items == after.items, before.waiting == after.waiting else {
                throw fail(.allOrNothing, "\(device.name) refuses an edit, and something of it is left")
            }
            return false
        }
    }
}
