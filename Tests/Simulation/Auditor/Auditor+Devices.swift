import Kith
import KithModel

/// Checks what one device shows, after every step that has affected it.
extension Auditor {
    func judge(_ index: Int, in world: World) throws {
        let device = world.devices[index]
        let content = try device.content()
        if let fault = device.mirror.fault(against: content, reading: device.readings) {
            throw world.fail(.honestSignals, "\(device.name): \(fault)")
        }
        let seat = Seat(device: index, account: content.account.id)
        try judgeRejections(content, seat, in: world)
        let last = lastShown[index]
        let shown = try shown(content, by: index, in: world)
        if let last { remade(seat, last.all, shown.all) }
        try judgeOwnEdits(shown, seat, in: world)
        try judgeOwnKeyedEdits(content, seat, of: device, in: world)
        try judgeRemovals(shown, seat, in: world)
        try judgeSums(shown.records, seat, in: world)
        try judgeDirection(shown.all, seat, in: world)
        try judgeWalls(shown.lists, seat, in: world)
    }

    /// The lists that a device shows, and their records. They are read once for each reading of the device.
    private func shown(_ content: Replica.Content, by index: Int, in world: World) throws -> Shown {
        let device = world.devices[index]
        if let known = lastShown[index], known.reading == device.readings { return known }
        let lists = content.shownLists
        let ids = Set(lists.map(\.list))
        let records = try world.records(on: device, content).filter { ids.contains($0.list) }
        let shown = Shown(
            reading: device.readings, lists: lists, records: records, all: lists + records, listIDs: ids,
            recordIDs: Set(records.map(\.id)))
        lastShown[index] = shown
        return shown
    }

    // MARK: Rejections

    /// Law 2: a rejection stays until it is dismissed, and does not return after that.
    private func judgeRejections(_ content: Replica.Content, _ seat: Seat, in world: World) throws {
        let name = world.devices[seat.device].name
        for rejection in content.rejections {
            rejections.insert(Refusal(mutation: rejection.id, record: rejection.record, values: rejection.values))
            guard seats[seat, default: SeatHistory()].kept.insert(rejection.id).inserted else { continue }
            if seats[seat]?.dismissed.contains(rejection.id) ?? false {
                throw world.fail(.nothingSilent, "\(name) shows a rejection again that was dismissed")
            }
            try judgeGroup(of: rejection, on: seat.device, in: world)
            let key = key(of: rejection)
            // Refused values need not be visible any more. The device that got the rejection may not be the one that
            // sent the edit.
            if settled[seat.device, default: []].insert(rejection.id).inserted {
                outstanding[seat]?.settle(rejection.record, rejection.values)
                outstanding[seat]?.settle(key, rejection.values)
                uncountable.insert(rejection.record)
            }
            outstanding[seat]?.made[rejection.record] = nil
            outstanding[seat]?.madeLists.remove(rejection.record.retyped())
            if rejection.isDeletion {
                outstanding[seat]?.removed.remove(rejection.record)
                outstanding[seat]?.removedKeys.remove(key)
                seats[seat]?.buried.remove(rejection.record)
                // Earlier additions to the record were discarded with its removal.
                uncountable.insert(rejection.record)
            }
        }
        let ids = Set(content.rejections.map(\.id))
        if let gone = seats[seat]?.kept.subtracting(ids).min() {
            throw world.fail(.nothingSilent, "the rejection \(gone) on \(name) has gone by itself")
        }
    }

    func dismissed(_ rejection: MutationID, on device: Int, of account: AccountID?) {
        let seat = Seat(device: device, account: account)
        seats[seat, default: SeatHistory()].kept.remove(rejection)
        seats[seat, default: SeatHistory()].dismissed.insert(rejection)
    }

    // MARK: What was written here

    /// Law 4: getters return what was last written here, until the server has taken it.
    private func judgeOwnEdits(_ shown: Shown, _ seat: Seat, in world: World) throws {
        guard let own = outstanding[seat] else { return }
        for record in own.fields.isEmpty ? [] : shown.all {
            for (field, value) in own.fields[record.id] ?? [:] where (record.fields[field] ?? .null) != value {
                throw world.fail(
                    .readYourWrites,
                    "\(world.devices[seat.device].name) shows \(record.fields[field] ?? .null) as the \(field) of \(record.id), where it wrote \(value)"
                )
            }
        }
        if let list = own.madeLists.subtracting(shown.listIDs).min() {
            throw world.fail(
                .readYourWrites,
                "\(world.devices[seat.device].name) does not show the list \(list) that it made")
        }
        for (record, list) in own.made where shown.listIDs.contains(list) && !shown.recordIDs.contains(record) {
            throw world.fail(
                .readYourWrites,
                "\(world.devices[seat.device].name) does not show the record \(record) that it made")
        }
    }

    /// Law 4 for records that only their keys identify: getters return what was last written here, until the server has
    /// taken it. A record that was removed here is not shown.
    private func judgeOwnKeyedEdits(
        _ content: Replica.Content, _ seat: Seat, of device: SimulatedDevice, in world: World
    ) throws {
        guard let own = outstanding[seat], !own.removedKeys.isEmpty || !own.keyedFields.isEmpty else { return }
        for record in world.keyedRecords(on: device, content) {
            let key = record.key
            let place = key.feed.id.map { " in \($0)" } ?? ""
            if !wasCopied && own.removedKeys.contains(key) {
                throw world.fail(
                    .readYourWrites,
                    "\(device.name) shows the \(key.collection) \(key.id)\(place), which was removed there")
            }
            guard let written = own.keyedFields[key], !written.isEmpty else { continue }
            let shown = try record.fields()
            for (field, value) in written where (shown[field] ?? .null) != value {
                throw world.fail(
                    .readYourWrites,
                    "\(device.name) shows \(shown[field] ?? .null) as the \(field) of the \(key.collection) \(key.id)\(place), where it wrote \(value)"
                )
            }
        }
    }

    /// Law 4: a record that was removed here is not shown any more. In addition, deletions are final: a record that is
    /// deleted on the server and has disappeared here does not return.
    private func judgeRemovals(_ shown: Shown, _ seat: Seat, in world: World) throws {
        let name = world.devices[seat.device].name
        // If one copy removed a record before ever sending it, the other copy may have sent it.
        if !wasCopied, let removed = outstanding[seat]?.removed,
            let record = shown.all.first(where: { removed.contains($0.id) })?.id
        {
            throw world.fail(.readYourWrites, "\(name) shows \(record), which was removed there")
        }
        for (record, feed) in dead where shown.listIDs.contains(feed.retyped()) {
            if !shown.recordIDs.contains(record) && !shown.listIDs.contains(record.retyped()) {
                guard seats[seat]?.seen.contains(record) ?? false else { continue }
                seats[seat, default: SeatHistory()].buried.insert(record)
            } else if seats[seat]?.buried.contains(record) ?? false {
                throw world.fail(
                    .neverBackwards, "\(name) shows \(record) again, which is deleted and had gone there")
            }
        }
        seats[seat, default: SeatHistory()].seen.formUnion(shown.all.lazy.map(\.id))
    }

    /// Law 4 for sums: the visible value is a value that the server has had, plus the additions made here.
    private func judgeSums(_ records: [ShownRecord], _ seat: Seat, in world: World) throws {
        guard !wasCopied, !wasRestored else { return }
        let own = outstanding[seat]
        for record in records where !uncountable.contains(record.id) {
            for field in schemas[record.collection]?.sums ?? [] {
                let spot = Spot(record: record.id, field: field.name)
                let (shown, first) = (record.fields[field.name]?.integer ?? 0, field.standard.integer ?? 0)
                let added = own?.additions[spot] ?? 0
                let isUnsent = own?.made[record.id] != nil
                if isUnsent ? shown - added == first : sums[spot]?.contains(shown - added) ?? true { continue }
                throw world.fail(
                    .readYourWrites,
                    "\(world.devices[seat.device].name) shows \(shown) as the \(field.name) of \(record.id), where it added \(added) to one of \(sums[spot, default: [first]].sorted())"
                )
            }
        }
    }

    // MARK: Changes from others

    /// Law 5: no field returns to an earlier value of the server.
    private func judgeDirection(_ records: [ShownRecord], _ seat: Seat, in world: World) throws {
        // Taken out while it changes: Swift would otherwise copy all of it.
        var newest = seats[seat]?.newest ?? [:]
        seats[seat]?.newest = [:]
        for record in records {
            // What has had one value only cannot return to an earlier one.
            for (field, known) in history[record.id] ?? [:] where known.count > 1 {
                guard let value = record.fields[field], let place = known.lastIndex(of: value) else { continue }
                let spot = Spot(record: record.id, field: field)
                if let before = newest.updateValue(place, forKey: spot), place < before {
                    throw world.fail(
                        .neverBackwards,
                        "\(world.devices[seat.device].name) shows \(value) as the \(field) of \(record.id) again, after \(known[before])"
                    )
                }
            }
        }
        seats[seat, default: SeatHistory()].newest = newest
    }

    // MARK: Failures

    /// Law 10: a failure is stored. If the session has ended, its state tells it. Any other failure leads to another
    /// attempt, not before the time that the server has asked for, and within ``RetrySchedule/longestPause``.
    func judgePause(after error: KithError, on device: SimulatedDevice, in world: World) throws {
        let account = try device.content().account
        switch error.code {
        case .accountClosed:
            if account.state == .inactive { return }
        case .unauthorized:
            if [.initial, .invalidToken].contains(account.state) { return }
        default:
            let asked = min(error.retryAfter ?? .zero, RetrySchedule.longestPause)
            let range = device.clock.now + asked...device.clock.now + RetrySchedule.longestPause
            if let retryAt = account.schedule.retryAt, range.contains(retryAt), account.schedule.attempt > 0 { return }
        }
        throw world.fail(
            .bounds,
            "\(device.name) heard \(error.code), to be tried after \(String(describing: error.retryAfter)), and is \(account.state), to try again at \(String(describing: account.schedule.retryAt)); it is \(device.clock.now)"
        )
    }
}
