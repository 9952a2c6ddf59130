import Kith
import KithModel
import KithServer

/// Law 6 (all or nothing) on the server: a group is applied whole or refused whole, and refused edits change nothing.
extension Auditor {
    /// Of the edits in one group, either all are applied or all are refused.
    func judgeGroups(_ request: SyncRequest, _ answer: SyncAnswer, from device: Int, in world: World) throws {
        guard answer.device == .recognised else { return }
        let refused = answer.refused
        // With copies, one may have sent edits that the other has not.
        var fates = wasCopied ? [:] : groupFates
        for mutation in request.mutations where mutation.number <= answer.acknowledged.number {
            guard let group = group(of: mutation.record, mutation.change, from: device) else { continue }
            fates[group, default: []].insert(refused.contains(mutation.number))
        }
        try judge(fates, in: world)
    }

    /// An edit that a device rejects itself, because it has lost a list, is not part of an applied group.
    func judgeGroup(of rejection: Rejection, on device: Int, in world: World) throws {
        let change: Mutation.Change = rejection.isDeletion ? .delete : .set(rejection.values)
        guard !wasCopied, let group = group(of: rejection.record, change, from: device) else { return }
        var fates = groupFates
        fates[group, default: []].insert(true)
        try judge(fates, in: world)
    }

    private func judge(_ fates: [Int: Set<Bool>], in world: World) throws {
        groupFates = fates
        guard let group = fates.filter({ $0.value.count > 1 }).keys.min() else { return }
        let parts = actions.filter { $0.group == group }.map { "\($0.kind) of \($0.record)" }
        throw world.fail(.allOrNothing, "of what was written together, only a part is taken: \(parts)")
    }

    /// Refused mutations have changed nothing on the server. This compares the stored records, not the server's
    /// answers.
    func judgeRefusals(
        _ before: [Place: Fields], _ after: [Place: Fields], in request: SyncRequest, _ answer: SyncAnswer,
        on server: SimulatedServer, in world: World
    ) throws {
        guard answer.device == .recognised else { return }
        let refused = answer.refused
        let taken = request.mutations.filter { !refused.contains($0.number) }
        let changed = Set(taken.map { Place(feed: $0.feed, record: $0.record) })
        let removed = Set(taken.filter { world.createsFeed($0.collection) && $0.change == .delete }.map(\.feed))
        for mutation in request.mutations where refused.contains(mutation.number) {
            let place = Place(feed: mutation.feed, record: mutation.record)
            guard world.follows(mutation.collection), !world.createsFeed(mutation.collection), !changed.contains(place),
                !removed.contains(place.feed),
                before[place] != after[place]
            else { continue }
            throw world.fail(
                .allOrNothing,
                "\(server.name) has refused \(mutation.change) of \(mutation.record), and has made \(String(describing: after[place])) of \(String(describing: before[place]))"
            )
        }
    }

    /// The group of the edit that the server's report of a change belongs to, found by its content.
    private func group(of record: RecordID<Never>, _ change: Mutation.Change, from device: Int) -> Int? {
        let action = actions.last { action in
            guard action.record == record, action.seat.device == device else { return false }
            switch (change, action.kind) {
            case (.delete, .removed): return true
            // A removal takes an edit out of its group. If the removal is undone, the edit has no group.
            case (.edit, .tookBack): return true
            case (.edit(let set, _), _):
                return action.kind.texts.contains { set[$0.key]?.text == $0.value }
            default: return false
            }
        }
        return action?.group
    }
}

extension SyncAnswer {
    /// The numbers of the mutations that the server has refused.
    fileprivate var refused: Set<Int64> { Set(outcomes.filter { $0.result == .rejected }.map(\.number)) }
}
