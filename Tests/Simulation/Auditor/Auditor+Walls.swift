import Kith
import KithModel
import KithServer

/// Law 8 (walls): what each account sees, sends and receives.
extension Auditor {
    /// A device shows only lists that its account could read at some time, or that were created there.
    func judgeWalls(_ lists: [ShownRecord], _ seat: Seat, in world: World) throws {
        let known = seat.account.flatMap { readable[$0] } ?? []
        for list in lists where !known.contains(list.list.retyped()) {
            let isMade = actions.contains { action in
                // A copy has what was created on the other device, including what was created before that had an
                // account.
                guard action.list == list.list, action.seat.account == seat.account || wasCopied else { return false }
                if case .madeList = action.kind { return true }
                return action.kind == .tookBack
            }
            if !isMade {
                throw world.fail(
                    .walls,
                    "\(world.devices[seat.device].name) shows the list \(list.id) to \(String(describing: seat.account)), who was never in it"
                )
            }
        }
    }

    /// An account sends only texts that it has written.
    func judgeSender(of request: SyncRequest, from device: Int, in world: World) throws {
        for mutation in request.mutations {
            guard case .edit(let set, _) = mutation.change else { continue }
            for text in set.values.compactMap(\.text) {
                guard let authors = authors[text], !authors.contains(where: { $0.account == request.account }) else {
                    continue
                }
                throw world.fail(
                    .walls,
                    "\(world.devices[device].name) sends “\(text)” for \(request.account), and another account wrote it"
                )
            }
        }
    }

    /// A server reports to an account only feeds that it may read.
    func judge(
        _ answer: SyncAnswer, for account: AccountID, reading feeds: Set<FeedID>, on server: SimulatedServer,
        in world: World
    ) throws {
        let told = answer.feeds.map(\.feed) + answer.records.map(\.feed)
        if let feed = told.first(where: { !feeds.contains($0) }) {
            throw world.fail(.walls, "\(server.name) tells \(account) of \(feed), which it may not read")
        }
    }

    /// A device that has read everything and has nothing unsent shows exactly the lists that it could read on the
    /// server.
    func judgeEnd(of round: SyncAnswer, _ lists: Set<ListID>, on device: SimulatedDevice, in world: World) throws {
        let shown = Set(try device.content().shownLists.map(\.list))
        if shown != lists {
            let (more, less) = (shown.subtracting(lists).sorted(), lists.subtracting(shown).sorted())
            throw world.fail(
                more.isEmpty ? .convergence : .walls,
                "\(device.name) has read everything, and shows \(more) besides what \(round.account) can read, and not \(less)"
            )
        }
    }

    /// Notes which accounts can read which feeds of a server.
    func noteAccess(on server: SimulatedServer) throws {
        for (account, feeds) in try server.database.access() { readable[account, default: []].formUnion(feeds) }
    }

    /// When a device returns to an account, the account's store is as it was.
    func judgeReturn(_ before: Replica.Content, _ after: Replica.Content, to device: SimulatedDevice, in world: World)
        throws
    {
        guard after.isSame(as: before) else {
            throw world.fail(
                .walls,
                "\(device.name) shows \(String(describing: after.account.id)) again, and not as it was left")
        }
    }
}
