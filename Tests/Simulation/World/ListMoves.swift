import Kith
import KithModel

/// What people do with lists on their devices, and what they undo.
struct ListMoves {
    let world: World

    func edit(_ index: Int, _ content: Replica.Content) throws {
        guard let list = content.lists.randomElement(using: &world.random), !world.random.oneIn(3) else {
            return try makeList(index, content)
        }
        if world.random.oneIn(8) { return try nameMyself(in: list, index, content) }
        if list.role == .viewer { return try overstep(index, list) }
        switch Int.random(in: 0..<12, using: &world.random) {
        case 0..<2: try move(list, after: content.lists.randomElement(using: &world.random), index)
        case 2 where list.role == .owner && world.random.oneIn(2): try remove(list, content, index)
        case 3 where list.role != .owner && world.random.oneIn(2):
            try world.change(index, "leaves \(list.id)") { changes in
                try changes.leave(list.id)
                world.auditor.left(list.id)
            }
        case 4: try overstep(index, list)
        default: try write(list, index)
        }
    }

    private func makeList(_ index: Int, _ content: Replica.Content) throws {
        guard content.lists.count < 3 else { return }
        let name = world.fresh("list")
        try world.change(index, "makes the list \(name)") { changes in
            let list = try changes.create(name)
            world.auditor.made(list.id, ["name": name])
        }
    }

    private func write(_ list: SharedList, _ index: Int) throws {
        let version = world.devices[index].version
        let fields = ["name", "theme", "kind"].filter { version.knows($0, of: .lists) }
        let field = fields.randomElement(using: &world.random) ?? "name"
        let text = world.fresh(field)
        var changed = list
        switch field {
        case "theme": changed.theme = text
        case "kind": changed.kind = text
        default: changed.name = text
        }
        try world.change(index, "writes “\(text)” as the \(field) of \(list.id)") { [changed] changes in
            try changes.update(changed)
            world.auditor.wrote(field, .text(text), of: list.id)
        }
    }

    /// Sets or removes the person's own name in a list.
    private func nameMyself(in list: SharedList, _ index: Int, _ content: Replica.Content) throws {
        guard let account = content.account.id else { return }
        let name = world.random.oneIn(4) ? nil : world.fresh("name")
        try world.change(index, "is called \(name ?? "nothing") in \(list.id)") { changes in
            let before = try changes.members(of: list.id).first { $0.id == account }?.name
            try changes.setMyName(name, in: list.id)
            guard name != before else { return }
            world.auditor.wrote(["name": name.map(FieldValue.text) ?? .null], of: .member(account, of: list.id))
        }
    }

    /// Moves a list to the place after another, or first. The move must be visible at once, and the others keep their
    /// order.
    private func move(_ list: SharedList, after other: SharedList?, _ index: Int) throws {
        let predecessor = other?.id == list.id ? nil : other?.id
        try world.change(index, "puts \(list.id) after \(predecessor?.description ?? "none")") { changes in
            let before = try changes.all()
            try changes.move(list.id, after: predecessor)
            let after = try changes.all()
            try world.judgeMove(of: list.id, after: predecessor, before.map(\.id), after.map(\.id))
            let places = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0.position) })
            for moved in after where places[moved.id] != moved.position {
                let place = moved.position.map { FieldValue.text($0.text) } ?? .null
                world.auditor.wrote("position", place, of: moved.id)
            }
        }
    }

    private func remove(_ list: SharedList, _ content: Replica.Content, _ index: Int) throws {
        var removal: Removal?
        let isDone = try world.change(index, "removes the list \(list.id)") { changes in
            removal = try changes.remove(list.id)
            world.auditor.removedList(list.id)
        }
        guard isDone, let removal else { return }
        try world.devices[index].noteRemoval(removal, of: content.items.filter { $0.listID == list.id })
    }

    // MARK: Refused edits

    /// Makes an edit that the person's role does not allow. The device itself must refuse it.
    private func overstep(_ index: Int, _ list: SharedList) throws {
        let name = world.devices[index].name
        let isDone = try world.change(index, "does what the \(list.role) of \(list.id) may not do") { changes in
            switch list.role {
            case .viewer: try changes.add("not allowed", to: list.id)
            case .editor: try changes.remove(list.id)
            case .owner: try changes.leave(list.id)
            }
        }
        if isDone { throw world.fail(.walls, "\(name) lets the \(list.role) of \(list.id) do what only others may") }
    }

    // MARK: Undo and dismissal

    /// Undoes the last removal, or dismisses a rejection.
    func reconsider(_ index: Int, _ content: Replica.Content) throws {
        let device = world.devices[index]
        if let removed = device.removal, removed.account == content.account.id, world.random.oneIn(2) {
            device.removal = nil
            return try undo(removed, index)
        }
        guard let rejection = content.rejections.randomElement(using: &world.random) else { return }
        world.note("\(device.name): dismisses the rejection \(rejection.id)")
        do {
            try device.replica.dismissNow(rejection.id)
        } catch is Crash {
            guard try world.recover(index) else { return }
        }
        world.auditor.dismissed(rejection.id, on: index, of: content.account.id)
    }

    private func undo(_ removed: RemovedHere, _ index: Int) throws {
        let lists = Set(removed.removal.lists)
        try world.change(index, "takes back the removal of \(removed.items.sorted())") { changes in
            let restoration = try changes.undo(removed.removal)
            guard restoration.items.count == removed.removal.itemCount else {
                throw world.fail(.readYourWrites, "a removal is taken back, and not everything is there again")
            }
            for list in restoration.lists {
                if lists.contains(list.id) {
                    world.auditor.tookBack(list.id)
                } else {
                    world.auditor.made(list.id, ["name": list.name])
                }
            }
            for item in restoration.items {
                if removed.items.contains(item.id) {
                    world.auditor.tookBack(ShownRecord(item))
                } else {
                    world.auditor.putBack(ShownRecord(item), called: ["title": item.title])
                }
            }
        }
    }
}
