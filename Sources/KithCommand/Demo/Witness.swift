import Kith
import KithModel
import Synchronization

/// Follows one device's changes of a list, and holds them to two laws.
///
/// It knows only what observers are told. From that it keeps a list of its own,
/// which must end as the device's (law 9); and no field of an item may show again
/// what it had shown before and left (law 5).
struct Witness: Sendable {
    let who: Timeline.Who
    private let device: Device
    private let list: ListID
    private let notes = Notes()
    private let listening: Task<Void, Never>

    init(_ device: Device, of list: ListID, _ who: Timeline.Who) {
        self.who = who
        self.device = device
        self.list = list
        let (notes, changes) = (notes, device.lists.itemChanges())
        listening = Task {
            for await changed in changes { notes.take(changed, list) }
        }
    }

    /// Stops listening once the notes agree with the device.
    ///
    /// - Returns: How many changes were heard.
    /// - Throws: ``Failure`` if they do not come to agree, or something was heard that may not be.
    func finish() async throws -> Int {
        let (notes, device, list) = (notes, device, list)
        try await Limit("What observers of the \(who) heard adds up to what it has").until {
            let items = try await device.lists.items(in: list)
            return notes.agree(with: items)
        }
        listening.cancel()
        await listening.value
        let (count, faults) = notes.summary
        if let fault = faults.first {
            throw Failure(.failed, "demo", "An observer of the \(who) heard something that may not be: \(fault)")
        }
        return count
    }
}

/// What a witness has heard.
private final class Notes: Sendable {
    private struct State {
        var items: [ItemID: ListItem] = [:]
        var shown: [ItemID: [[FieldValue]]] = [:]
        var faults: [String] = []
        var count = 0

        mutating func take(_ item: ListItem) {
            items[item.id] = item
            let fields: [FieldValue] = [
                .text(item.title), .integer(Int64(item.count)), .flag(item.isTicked), .text(item.position.text),
                item.comment.map(FieldValue.text) ?? .null,
            ]
            var columns = shown[item.id] ?? fields.map { _ in [] }
            for (column, value) in fields.enumerated() where columns[column].last != value {
                if columns[column].contains(value) { faults.append("“\(item.title)” went back to an older state.") }
                columns[column].append(value)
            }
            shown[item.id] = columns
        }
    }

    private let state = Mutex(State())

    var summary: (count: Int, faults: [String]) { state.withLock { ($0.count, $0.faults) } }

    func agree(with items: [ListItem]) -> Bool {
        state.withLock { state in
            state.items.count == items.count && items.allSatisfy { state.items[$0.id] == $0 }
        }
    }

    func take(_ changed: Changed<ListItem>, _ list: ListID) {
        state.withLock { state in
            for item in changed.added where item.listID == list {
                if state.items[item.id] != nil { state.faults.append("“\(item.title)” was added twice.") }
                state.take(item)
            }
            for item in changed.modified where item.listID == list {
                if state.items[item.id] == nil { state.faults.append("“\(item.title)” changed, but was never added.") }
                state.take(item)
            }
            for item in changed.removed where item.listID == list {
                if state.items.removeValue(forKey: item.id) == nil {
                    state.faults.append("“\(item.title)” was removed, but was never added.")
                }
            }
            if changed.origin != .state {
                state.count += changed.added.count + changed.modified.count + changed.removed.count
            }
        }
    }
}

extension Story {
    mutating func hear(_ witness: Witness, _ list: SharedList) async throws {
        let count = try await witness.finish()
        try timeline.say(
            witness.who, "told its observers of \(count.things("change")): each once, none backwards, and they add up")
        shown[5] = "Observers of both devices saw no field go back to what it had shown before."
        shown[9] = "What observers of both were told, the state and then the changes, added up to what getters show."
    }
}
