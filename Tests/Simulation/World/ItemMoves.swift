import Kith
import KithModel

/// What people do with items on their devices.
struct ItemMoves {
    let world: World

    func edit(_ index: Int) throws {
        let content = try world.devices[index].content()
        if world.random.oneIn(12) { return try ListMoves(world: world).reconsider(index, content) }
        let lists = content.lists.filter { $0.role >= .editor }
        guard let list = lists.randomElement(using: &world.random), !world.random.oneIn(8) else {
            return try ListMoves(world: world).edit(index, content)
        }
        let items = content.items.filter { $0.listID == list.id }
        guard let item = items.randomElement(using: &world.random), !world.random.oneIn(4) else {
            return try add(world.fresh("item"), to: list, index)
        }
        switch Int.random(in: 0..<20, using: &world.random) {
        case 0..<3: try write(index, item)
        case 3..<7:
            let title = world.fresh("title")
            try world.change(index, "renames \(item.id) to \(title)") { changes in
                try changes.update(item.id, in: list.id) { $0.title = title }
                world.auditor.wrote("title", .text(title), of: item.id, in: list.id)
            }
        case 7..<11:
            let amount = Int.random(in: 1...9, using: &world.random)
            try world.change(index, "adds \(amount) to the count of \(item.id)") { changes in
                try changes.increase(item.id, by: amount)
                world.auditor.increased("count", of: item.id, in: list.id, by: amount)
            }
        case 11..<13:
            try world.change(index, "ticks \(item.id)") { changes in
                try changes.setTicked(item.id, !item.isTicked)
                world.auditor.wrote("ticked", .flag(!item.isTicked), of: item.id, in: list.id)
            }
        case 13..<15: try move(item, after: items.randomElement(using: &world.random), index)
        case 15: try remove([item], in: list, index)
        case 16: try remove(items.filter { _ in world.random.oneIn(3) }, in: list, index)
        case 17: try merge(item, in: list, index)
        case 18: try move(item, to: lists.randomElement(using: &world.random), index)
        default:
            let (first, second) = (world.fresh("item"), world.fresh("title"))
            let story = "adds \(first) and renames \(item.id) to \(second), together"
            try world.change(index, story, together: true) { changes in
                let added = try changes.add(first, to: list.id)
                world.auditor.created(added.id, of: .items, in: list.id, ["title": first])
                try changes.update(item.id, in: list.id) { $0.title = second }
                world.auditor.wrote("title", .text(second), of: item.id, in: list.id)
            }
        }
    }

    private func add(_ title: String, to list: SharedList, _ index: Int) throws {
        try world.change(index, "adds \(title) to \(list.id)") { changes in
            let item = try changes.add(title, to: list.id)
            world.auditor.created(item.id, of: .items, in: list.id, ["title": title])
            // Most items of a world of two versions have a field that the older one does not know.
            guard world.versions != nil, world.devices[index].version.knows("comment", of: .items) else { return }
            let comment = world.fresh("comment")
            try changes.update(item.id, in: list.id) { $0.comment = comment }
            world.auditor.wrote("comment", .text(comment), of: item.id, in: list.id)
        }
    }

    /// Writes another field of an item that the device's version knows.
    private func write(_ index: Int, _ item: ListItem) throws {
        let fields = ["comment", "category", "offer"].filter { world.devices[index].version.knows($0, of: .items) }
        guard let field = fields.randomElement(using: &world.random) else { return }
        let text = world.fresh(field)
        try world.change(index, "writes “\(text)” as the \(field) of \(item.id)") { changes in
            try changes.update(item.id, in: item.listID) { item in
                switch field {
                case "comment": item.comment = text
                case "category": item.category = text
                default: item.offer = text
                }
            }
            world.auditor.wrote(field, .text(text), of: item.id, in: item.listID)
        }
    }

    /// Moves an item to the place after another, or first. The move must be visible at once, and the others keep their
    /// order.
    private func move(_ item: ListItem, after other: ListItem?, _ index: Int) throws {
        let predecessor = other?.id == item.id ? nil : other?.id
        try world.change(index, "puts \(item.id) after \(predecessor?.description ?? "none")") { changes in
            let before = try changes.items(in: item.listID)
            try changes.move(item.id, in: item.listID, after: predecessor)
            let after = try changes.items(in: item.listID)
            try world.judgeMove(of: item.id, after: predecessor, before.map(\.id), after.map(\.id))
            let places = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0.position) })
            for moved in after where places[moved.id] != moved.position {
                world.auditor.wrote("position", .text(moved.position.text), of: moved.id, in: moved.listID)
            }
        }
    }

    /// Moves an item to another list, if there is one, by creating it there and removing it here in one group.
    private func move(_ item: ListItem, to list: SharedList?, _ index: Int) throws {
        guard let list, list.id != item.listID else { return }
        let title = world.fresh("item")
        try world.change(index, "moves \(item.id) to \(list.id), as \(title)", together: true) { changes in
            let added = try changes.add(title, to: list.id)
            world.auditor.created(added.id, of: .items, in: list.id, ["title": title])
            try changes.remove(item.id, in: item.listID)
            world.auditor.removed(item.id, in: item.listID)
        }
    }

    private func remove(_ items: [ListItem], in list: SharedList, _ index: Int) throws {
        guard !items.isEmpty else { return }
        var removal: Removal?
        let isDone = try world.change(index, "removes \(items.map(\.id))") { changes in
            removal = try changes.remove(items.map(\.id), in: list.id)
            for item in items { world.auditor.removed(item.id, in: list.id) }
        }
        if isDone, let removal { try world.devices[index].noteRemoval(removal, of: items) }
    }

    /// Merges two items that look the same. If there are none, creates one.
    private func merge(_ item: ListItem, in list: SharedList, _ index: Int) throws {
        let title = item.title.uppercased()
        try world.change(index, "merges what looks alike in \(list.id), or adds \(title)", together: true) { changes in
            guard let twins = try changes.duplicates(in: list.id).first else {
                let twin = try changes.add(title, to: list.id)
                return world.auditor.created(twin.id, of: .items, in: list.id, ["title": title])
            }
            let more = twins.others.reduce(0) { $0 + $1.count }
            let merged = try changes.merge(twins)
            guard merged.count == twins.kept.count + more else {
                throw world.fail(.readYourWrites, "the count of \(merged.id) is not that of those it was made of")
            }
            world.auditor.increased("count", of: merged.id, in: list.id, by: more)
            if let comment = merged.comment, twins.kept.comment == nil {
                world.auditor.wrote("comment", .text(comment), of: merged.id, in: list.id)
            }
            for other in twins.others { world.auditor.removed(other.id, in: list.id) }
        }
    }
}
