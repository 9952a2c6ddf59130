import Kith
import KithModel
import KithServer

/// Judges what a server makes of a request.
extension Auditor {
    /// The fields whose texts are followed from the first to the last.
    static let followed: Set = ["title", "comment", "category", "offer", "name", "theme", "kind"]

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
        _ before: [Place: Fields], _ after: [Place: Fields], in request: SyncRequest, from device: SimulatedDevice,
        on server: SimulatedServer, in world: World
    ) throws {
        for mutation in request.mutations where [.items, .lists].contains(mutation.collection) {
            let place = Place(feed: mutation.feed, record: mutation.record)
            noteTexts(of: mutation.record, before[place], after[place])
            if mutation.collection == .items, let fields = after[place] {
                counts[mutation.record.retyped(), default: []].insert(Int(fields["count"]?.integer ?? 1))
            }
            try judgeDeletion(mutation, before[place], after[place], on: server, in: world)
        }
        try judgeCarrying(before, after, in: request, from: device, in: world)
    }

    private func noteTexts(of record: RecordID<Never>, _ before: Fields?, _ after: Fields?) {
        for (field, value) in after ?? [:] where Self.followed.contains(field) {
            let spot = Spot(record: record, field: field)
            guard history[spot]?.last != value else { continue }
            if history[spot] == nil, let old = before?[field], old != value { history[spot] = [old] }
            history[spot, default: []].append(value)
        }
    }

    /// Deletions win, and what is deleted stays deleted.
    private func judgeDeletion(
        _ mutation: Mutation, _ before: Fields?, _ after: Fields?, on server: SimulatedServer, in world: World
    ) throws {
        if before != nil && after == nil { dead[mutation.record] = mutation.feed }
        if before == nil, after != nil, dead[mutation.record] != nil {
            throw world.fail("Law 2: Nothing silent", "\(mutation.record) was deleted on \(server.name), and is back")
        }
    }
}
