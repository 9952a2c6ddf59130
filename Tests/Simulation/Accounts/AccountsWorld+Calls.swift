import Kith
import KithModel

/// How people's actions call the SDK, and how each call is checked.
extension AccountsWorld {
    /// Calls the SDK, through the device's own client or another one. Returns nil if the SDK refuses the call, which is
    /// a normal event in a simulation.
    ///
    /// In every case, the call must have announced exactly the stores that it has hidden. If `asks` is true, the device
    /// must then ask about them until somebody decides.
    @discardableResult
    func call<Outcome>(
        _ device: AccountsDevice, _ what: String, by client: KithClient? = nil, asks: Bool = true,
        _ body: () async throws -> Outcome
    ) async throws -> Outcome? {
        let before = try await contents(of: device)
        let hidings = (client ?? device.client).accounts.hidden()
        var outcome: Outcome?
        do {
            outcome = try await body()
            note("\(device.name): \(what)")
        } catch let error as KithError {
            note("\(device.name): \(what): \(error.code)")
        }
        let told = await hidings.untilNow()
        if asks { undecided[device.index, default: []].formUnion(told.flatMap(\.stores).map(\.scope)) }
        for hidden in told {
            for store in hidden.stores { note("\(device.name): hides \(store.scope), with \(store.amounts)") }
        }
        let after = try await look(at: device)
        noteAdoption(before, after, on: device)
        if let fault = auditor.hidingFault(told, before, after, on: device) {
            throw fail("\(device.name) \(what): \(fault)")
        }
        return outcome
    }

    /// Like ``call(_:_:by:_:)``, for a call that can make another store current and returns the stores that it hides.
    func switchStore(
        of device: AccountsDevice, _ what: String, asks: Bool = true, _ body: () async throws -> HiddenStores
    ) async throws {
        let before = try await contents(of: device)
        guard let hidden = try await call(device, what, asks: asks, body) else { return }
        let after = try await contents(of: device)
        if let fault = auditor.hidingFault(in: hidden, before, after) {
            throw fail("\(device.name) \(what): \(fault)")
        }
    }

    /// Notes that a session which the device has just opened has taken over the userless store, or a store whose
    /// account has no records on the server, or the lists with unsent edits of an account whose token is refused.
    private func noteAdoption(_ before: DeviceContents, _ after: DeviceContents, on device: AccountsDevice) {
        let new = after.stores.compactMap(\.account).filter { before.store(.account($0)) == nil }
        for account in new where internet.openers[account] == device.index {
            for store in before.stores where after.lists[store.scope, default: []].isEmpty {
                auditor.adopted(before.texts(within: store.scope), by: account)
            }
            for store in before.stores where store.isCurrent && after.store(store.scope)?.state == .invalidToken {
                noteMovedUnsent(from: store, to: account, before, after, on: device)
            }
            for store in before.stores where store.isCurrent && after.store(store.scope) == nil {
                auditor.adopted(store.scope, by: account, on: device.index)
            }
        }
    }
}

extension AccountsWorld {
    /// Notes the lists that a new account has taken over because they had unsent edits. Their names are unique.
    private func noteMovedUnsent(
        from store: StoredAccount, to account: AccountID, _ before: DeviceContents, _ after: DeviceContents,
        on device: AccountsDevice
    ) {
        let left = Set(after.lists[store.scope, default: []].map(\.id))
        for list in before.lists[store.scope, default: []] where !left.contains(list.id) {
            guard let copy = after.lists[.account(account), default: []].first(where: { $0.name == list.name }) else {
                continue
            }
            let texts = before.texts(in: list.id, within: store.scope)
            auditor.dropped(texts, on: device.index)
            auditor.moved(texts, to: copy.id, of: account, on: device.index)
        }
    }
}

extension AsyncStream<HiddenStores> {
    /// The values that were sent up to now and not read. The stream ends after them.
    fileprivate func untilNow() async -> [HiddenStores] {
        let reading: Task<[HiddenStores], Never> = Task {
            var all: [HiddenStores] = []
            for await hidden in self { all.append(hidden) }
            return all
        }
        // A stream with a cancelled reader returns its buffered values and then ends.
        reading.cancel()
        return await reading.value
    }
}
