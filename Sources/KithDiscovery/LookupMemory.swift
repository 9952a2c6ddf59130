import Kith
import KithModel
import Synchronization

/// The known lookups of an account, and the revision of the database at which they were read.
struct LookupMemory: Sendable {
    let account: StoreKey
    /// Identifies the account together with `account`: a new account may get the row number of a deleted one, but not
    /// its device identity.
    let device: DeviceID
    /// Nil if another writer has changed the lookups meanwhile.
    var revision: Int64?
    /// The server's epoch in which the buckets were read.
    var epoch: String?
    var known: KnownLookups
}

extension Discovery {
    /// The known lookups: from memory if it has the replica's revision, else from the replica.
    func memory(of account: ReplicaAccount) async throws -> LookupMemory {
        let kept = state.withLock(\.memory)
        return try await read(account, kept)
    }

    /// Like ``memory(of:)``, but removes the value from the state until ``keep(_:)``, so that a change does not copy
    /// it.
    func takeMemory(of account: ReplicaAccount) async throws -> LookupMemory {
        let kept = state.withLock { state in
            defer { state.memory = nil }
            return state.memory
        }
        return try await read(account, kept)
    }

    private func read(_ account: ReplicaAccount, _ kept: LookupMemory?) async throws -> LookupMemory {
        try await replica.read {
            let rows = LookupRows(Store($0.db, account))
            let revision = try rows.revision()
            if let kept, kept.account == account.key, kept.device == account.device, kept.revision == revision {
                return kept
            }
            return LookupMemory(
                account: account.key, device: account.device, revision: revision, epoch: try rows.epoch(),
                known: KnownLookups(try rows.all()))
        }
    }

    func keep(_ memory: LookupMemory) {
        if memory.revision != nil { state.withLock { $0.memory = memory } }
    }
}
