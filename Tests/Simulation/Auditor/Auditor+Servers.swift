import Kith
import KithModel
import KithServer

/// Checks how a server processes a request.
extension Auditor {
    /// The server's records that a request changes, under the names of the newest version.
    func records(in request: SyncRequest, on server: SimulatedServer) throws -> [Place: Fields] {
        if request.mutations.isEmpty { return [:] }
        let places = Set(request.mutations.map { Place(feed: $0.feed, record: $0.record) })
        return try server.database.fields(of: places).mapValues(server.version.said)
    }

    /// Notes the changes that a request has made on the server.
    func note(
        _ before: [Place: Fields], _ after: [Place: Fields], in request: SyncRequest, from device: SimulatedDevice,
        on server: SimulatedServer, in world: World
    ) throws {
        for mutation in request.mutations where world.follows(mutation.collection) {
            guard let schema = schemas[mutation.collection] else { continue }
            let place = Place(feed: mutation.feed, record: mutation.record)
            noteTexts(of: mutation.record, before[place], after[place], schema)
            if let fields = after[place] {
                for field in schema.sums {
                    let value = field.shown(fields[field.name]).integer ?? 0
                    sums[Spot(record: mutation.record, field: field.name), default: []].insert(value)
                }
            }
            try judgeDeletion(mutation, before[place], after[place], on: server, in: world)
        }
        try judgeCarrying(before, after, in: request, from: device, in: world)
    }

    /// Notes the texts of a field in the order in which the server had them.
    private func noteTexts(of record: RecordID<Never>, _ before: Fields?, _ after: Fields?, _ schema: Schema) {
        for (field, value) in after ?? [:] where schema[field]?.isFreeText ?? false {
            let known = history[record]?[field] ?? []
            guard known.last != value else { continue }
            if known.isEmpty, let old = before?[field], old != value {
                history[record, default: [:]][field] = [old, value]
            } else {
                history[record, default: [:]][field, default: []].append(value)
            }
        }
    }

    /// Deletions win, and deleted records stay deleted.
    private func judgeDeletion(
        _ mutation: Mutation, _ before: Fields?, _ after: Fields?, on server: SimulatedServer, in world: World
    ) throws {
        if before != nil && after == nil { dead[mutation.record] = mutation.feed }
        if before == nil, after != nil, dead[mutation.record] != nil {
            throw world.fail(.nothingSilent, "\(mutation.record) was deleted on \(server.name), and is back")
        }
    }

    /// Law 12: in each record of a request that still exists, the fields that the sender does not know are unchanged.
    private func judgeCarrying(
        _ before: [Place: Fields], _ after: [Place: Fields], in request: SyncRequest, from device: SimulatedDevice,
        in world: World
    ) throws {
        for mutation in request.mutations {
            let place = Place(feed: mutation.feed, record: mutation.record)
            guard let old = before[place], let new = after[place] else { continue }
            for name in device.version.laterFields[mutation.collection] ?? [] where old[name] != new[name] {
                throw world.fail(
                    .forwardOnly,
                    "\(device.name) does not know “\(name)” and has changed it in \(mutation.record): from \(String(describing: old[name])) to \(String(describing: new[name]))"
                )
            }
        }
    }
}
