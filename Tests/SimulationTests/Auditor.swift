import Foundation
import Kith
import KithModel
import KithServer

/// Judges the world by the laws alone: by what people did, what getters and
/// signals show, what is rejected, and what the server holds.
///
/// It knows nothing of numbers, outboxes, plans or tokens.
final class Auditor {
    /// One person's account on one device.
    struct Seat: Hashable {
        let device: Int
        /// nil before the first session.
        var account: AccountID?
    }

    /// What the server refused, on whichever devices it is told.
    struct Refusal: Hashable {
        let mutation: MutationID
        let record: RecordID<Never>
        let values: Fields
    }

    /// What someone did to an item.
    struct Deed {
        enum Kind: Equatable { case created(String), renamed(String), increased(Int), removed, removedList, left }
        let kind: Kind
        let item: ItemID?
        let list: ListID?
        var seat: Seat
    }

    private var pending: [Deed] = []
    private var seat = Seat(device: 0, account: nil)
    private(set) var deeds: [Deed] = []
    /// The title that a seat wrote last on an item, until the server has taken it.
    var unsettled: [Seat: [ItemID: String]] = [:]
    /// The titles that each item has had on the server, in their order there.
    var history: [ItemID: [String]] = [:]
    /// The newest of those that each device has shown.
    private var shown: [Int: [ItemID: Int]] = [:]
    /// Every rejection that any device has kept. Copies may have folded other edits into the same mutation.
    var rejections: Set<Refusal> = []
    /// What waited to be added to a count when a replica was copied: it may be added by both.
    var ambiguous: [ItemID: Int] = [:]
    /// The additions that a copy may hold of those that it was copied from.
    private var inherited: [Int: [(item: ItemID, amount: Int)]] = [:]
    var wasRestored = false
    var wasCopied = false

    // MARK: Deeds

    func begin(_ device: Int, account: AccountID?) {
        seat = Seat(device: device, account: account)
        pending = []
    }

    func created(_ item: ItemID, in list: ListID, on device: Int, _ title: String) {
        pending.append(Deed(kind: .created(title), item: item, list: list, seat: seat))
    }
    func renamed(_ item: ItemID, in list: ListID, on device: Int, _ title: String) {
        pending.append(Deed(kind: .renamed(title), item: item, list: list, seat: seat))
    }
    func increased(_ item: ItemID, in list: ListID, on device: Int, by amount: Int) {
        pending.append(Deed(kind: .increased(amount), item: item, list: list, seat: seat))
    }
    func removed(_ item: ItemID, on device: Int) {
        pending.append(Deed(kind: .removed, item: item, list: nil, seat: seat))
    }
    func removedList(_ list: ListID, on device: Int) {
        pending.append(Deed(kind: .removedList, item: nil, list: list, seat: seat))
    }
    func left(_ list: ListID, on device: Int) {
        pending.append(Deed(kind: .left, item: nil, list: list, seat: seat))
    }

    func rollBack(_ device: Int) { pending = [] }

    func commit(_ device: Int) {
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

    func copied(_ from: Int, to: Int, _ device: SimulatedDevice) throws {
        wasCopied = true
        for (seat, titles) in unsettled where seat.device == from {
            unsettled[Seat(device: to, account: seat.account)] = titles
        }
        shown[to] = shown[from]
        // Whether an addition still waits, the auditor does not ask: any by this device may be doubled, and any that
        // it has from the device that it is itself a copy of.
        let additions: [(ItemID, Int)] = deeds.compactMap { deed in
            guard deed.seat.device == from, case .increased(let amount) = deed.kind else { return nil }
            return deed.item.map { ($0, amount) }
        }
        inherited[to] = inherited[from, default: []] + additions
        for (item, amount) in inherited[to] ?? [] { ambiguous[item, default: 0] += amount }
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

    /// The titles on the server of the items that a request names.
    func titles(in request: SyncRequest, on server: SQLiteDatabase) throws -> [ItemID: String] {
        var titles: [ItemID: String] = [:]
        for mutation in request.mutations where mutation.collection == .items {
            titles[mutation.record.retyped()] = try server.title(of: mutation.record, in: mutation.feed)
        }
        return titles
    }

    /// Notes which titles a request has changed there.
    func note(_ before: [ItemID: String], in request: SyncRequest, on server: SQLiteDatabase) throws {
        for (item, title) in try titles(in: request, on: server) where history[item]?.last != title {
            if history[item] == nil, let old = before[item], old != title { history[item] = [old] }
            history[item, default: []].append(title)
        }
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

extension SQLiteDatabase {
    func title(of item: RecordID<Never>, in feed: FeedID) throws -> String? {
        try readNow { transaction in
            guard
                let row = try transaction.query(
                    "SELECT fields FROM record WHERE feed = ? AND id = ? AND deleted = 0", [.id(feed), .id(item)]
                ).first
            else { return nil }
            return try JSONDecoder().decode(Fields.self, from: Data(row.text(0).utf8))["title"]?.text
        }
    }
}
