import Kith
import KithModel

/// How people's deeds reach the SDK, and what is judged of each.
extension AccountsWorld {
    /// Calls the SDK, by the device's own client or another one of it. What it refuses is part of the story: then there
    /// is no outcome.
    ///
    /// Whatever the call was, and however it ended, it has announced the stores that it has put out of sight, and no
    /// others.
    @discardableResult
    func call<Outcome>(
        _ device: AccountsDevice, _ what: String, by client: KithClient? = nil,
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

    /// The same, of a call that can make another store the current one, and returns what it hides by that.
    func switchStore(
        of device: AccountsDevice, _ what: String, _ body: () async throws -> HiddenStores
    ) async throws {
        let before = try await contents(of: device)
        guard let hidden = try await call(device, what, body) else { return }
        let after = try await contents(of: device)
        if let fault = auditor.hidingFault(in: hidden, before, after) {
            throw fail("\(device.name) \(what): \(fault)")
        }
    }

    /// A session that the device has just opened takes over the store without an account, or a store of which its
    /// server never heard.
    private func noteAdoption(_ before: DeviceContents, _ after: DeviceContents, on device: AccountsDevice) {
        let new = after.stores.compactMap(\.account).filter { before.store(.account($0)) == nil }
        for account in new where internet.openers[account] == device.index {
            for store in before.stores where after.store(store.scope)?.isEmpty ?? true {
                auditor.adopted(before.texts(within: store.scope), by: account)
            }
            for store in before.stores where store.isCurrent && after.store(store.scope) == nil {
                auditor.adopted(store.scope, by: account, on: device.index)
            }
        }
    }
}

extension AsyncStream<HiddenStores> {
    /// What it has given until now and nobody has read. It ends with that.
    fileprivate func untilNow() async -> [HiddenStores] {
        let reading: Task<[HiddenStores], Never> = Task {
            var all: [HiddenStores] = []
            for await hidden in self { all.append(hidden) }
            return all
        }
        // A stream whose reader is cancelled gives what it holds, and then nothing.
        reading.cancel()
        return await reading.value
    }
}
