import Foundation
import Kith
import KithModel
import KithServer

/// Judges the world by the laws alone: by what people did, what getters and
/// signals show, what is rejected, and what the servers hold.
///
/// It knows nothing of numbers, outboxes, plans or tokens.
final class Auditor {
    typealias Seat = Deed.Seat

    /// What the server refused, on whichever devices it is told.
    struct Refusal: Hashable {
        let mutation: MutationID
        let record: RecordID<Never>
        let values: Fields
    }

    private var pending: [Deed] = []
    private var seat = Seat(device: 0, account: nil)
    var deeds: [Deed] = []
    /// The title that a seat wrote last on an item, until the server has taken it.
    var unsettled: [Seat: [ItemID: String]] = [:]
    /// The titles that each item has had on the server, in their order there.
    var history: [ItemID: [String]] = [:]
    /// The newest of those that each device has shown.
    var shown: [Int: [ItemID: Int]] = [:]
    /// Every rejection that any device has kept. Copies may have folded other edits into the same mutation.
    var rejections: Set<Refusal> = []
    /// What waited to be added to a count when a replica was copied: it may be added by both.
    var ambiguous: [ItemID: Int] = [:]
    /// The additions that a copy may hold of those that it was copied from.
    var inherited: [Int: [(item: ItemID, amount: Int)]] = [:]
    /// Which device was copied onto which, and how much had been done by then.
    var copies: [(from: Int, to: Int, deeds: Int)] = []
    private(set) var wasRestored = false
    var wasCopied: Bool { !copies.isEmpty }

    // MARK: Deeds

    func begin(_ device: Int, account: AccountID?) {
        seat = Seat(device: device, account: account)
        pending = []
    }

    func created(_ item: ItemID, in list: ListID, _ title: String) { add(.created(title), item, list) }
    func renamed(_ item: ItemID, in list: ListID, _ title: String) { add(.renamed(title), item, list) }
    func commented(_ item: ItemID, in list: ListID, _ text: String) { add(.commented(text), item, list) }
    func increased(_ item: ItemID, in list: ListID, by amount: Int) { add(.increased(amount), item, list) }
    func removed(_ item: ItemID) { add(.removed, item, nil) }
    func made(_ list: ListID, _ name: String) { add(.madeList(name), nil, list) }
    func removedList(_ list: ListID) { add(.removedList, nil, list) }
    func left(_ list: ListID) { add(.left, nil, list) }

    private func add(_ kind: Deed.Kind, _ item: ItemID?, _ list: ListID?) {
        pending.append(Deed(kind: kind, item: item, list: list, seat: seat))
    }

    func rollBack() { pending = [] }

    func commit() {
        for deed in pending {
            switch (deed.kind, deed.item) {
            case (.created(let title), let item?), (.renamed(let title), let item?):
                unsettled[deed.seat, default: [:]][item] = title
            case (.removed, let item?): unsettled[deed.seat]?[item] = nil
            case (.removedList, _):
                for made in deeds where made.list == deed.list {
                    if let item = made.item { unsettled[deed.seat]?[item] = nil }
                }
            default: break
            }
        }
        deeds += pending
        pending = []
    }

    // MARK: What the world tells

    /// A device's new session: what was made before, by no account or by one that is lost, belongs to it.
    func adopted(_ device: Int, _ account: AccountID, from before: AccountID?) {
        let (old, seat) = (Seat(device: device, account: before), Seat(device: device, account: account))
        unsettled[seat] = unsettled.removeValue(forKey: old)
        for index in deeds.indices where deeds[index].seat == old { deeds[index].seat = seat }
    }

    func restored() {
        wasRestored = true
        history = [:]
        shown = [:]
    }

    /// The device knows that the server has taken these.
    func acknowledged(_ request: SyncRequest, _ answer: SyncAnswer, on device: Int) {
        let seat = Seat(device: device, account: request.account)
        // A copy is told which of its mutations the other has sent.
        let told = Set(answer.outcomes.map(\.number))
        for mutation in request.mutations {
            switch answer.device {
            case .recognised: guard mutation.number <= answer.acknowledged.number else { continue }
            case .copied: guard told.contains(mutation.number) else { continue }
            case .forgotten: continue
            }
            guard case .edit(let set, _) = mutation.change, let title = set["title"]?.text else { continue }
            let item: ItemID = mutation.record.retyped()
            if unsettled[seat]?[item] == title { unsettled[seat]?[item] = nil }
        }
    }

    /// What the server holds of the records that a request names, under the names of the newest version.
    func records(in request: SyncRequest, on server: SimulatedServer) throws -> [Place: Fields] {
        var records: [Place: Fields] = [:]
        for mutation in request.mutations {
            let place = Place(feed: mutation.feed, record: mutation.record)
            guard let fields = try server.database.fields(of: mutation.record, in: mutation.feed) else { continue }
            records[place] = server.version.said(fields)
        }
        return records
    }

    /// Notes what a request has changed there.
    func note(
        _ before: [Place: Fields], in request: SyncRequest, from device: SimulatedDevice, on server: SimulatedServer,
        in world: World
    ) throws {
        let after = try records(in: request, on: server)
        for mutation in request.mutations where mutation.collection == .items {
            let place = Place(feed: mutation.feed, record: mutation.record)
            let item: ItemID = mutation.record.retyped()
            guard let title = after[place]?["title"]?.text, history[item]?.last != title else { continue }
            if history[item] == nil, let old = before[place]?["title"]?.text, old != title { history[item] = [old] }
            history[item, default: []].append(title)
        }
        try judgeCarrying(before, after, in: request, from: device, in: world)
    }

    // MARK: At every step

    func judge(_ device: SimulatedDevice, in world: World) throws {
        guard let index = world.devices.firstIndex(where: { $0 === device }) else { return }
        let look = try device.replica.look()
        if let fault = device.mirror.faults(against: look).first {
            throw world.fail("Law 9: Honest signals", "\(device.name): \(fault)")
        }
        for rejection in look.rejections {
            rejections.insert(Refusal(mutation: rejection.id, record: rejection.record, values: rejection.values))
        }
        try judgeOwnEdits(device, index, look, in: world)
        try judgeDirection(device, index, look, in: world)
    }

    /// Law 4: what a seat wrote last, and the server has not taken yet, is what it shows.
    private func judgeOwnEdits(
        _ device: SimulatedDevice, _ index: Int, _ look: Replica.Look, in world: World
    ) throws {
        let visible = Set(look.lists.map(\.id))
        for item in look.items where visible.contains(item.listID) {
            let seat = Seat(device: index, account: look.account.id)
            guard let title = unsettled[seat]?[item.id], item.title != title else { continue }
            throw world.fail(
                "Law 4: Read your writes", "\(device.name) shows “\(item.title)” where it wrote “\(title)”")
        }
    }

    /// Law 5: no field goes back to what it was before on the server.
    private func judgeDirection(
        _ device: SimulatedDevice, _ index: Int, _ look: Replica.Look, in world: World
    ) throws {
        for item in look.items {
            guard let place = history[item.id]?.lastIndex(of: item.title) else { continue }
            if let newest = shown[index]?[item.id], place < newest {
                throw world.fail(
                    "Law 5: Never backwards",
                    "\(device.name) shows “\(item.title)” again after “\(history[item.id]?[newest] ?? "")”")
            }
            shown[index, default: [:]][item.id] = place
        }
    }
}
