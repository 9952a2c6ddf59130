import GRDB
import Kith
import KithModel
import Synchronization

/// What is known of an account's identities, and at which of its revisions.
struct LookupMemory: Sendable {
    let account: Int64
    /// A new account may get the number of one that is gone, but not its device.
    let device: DeviceID
    /// Nil if somebody else has written meanwhile.
    var revision: Int64?
    /// In which of the server's epochs buckets were read.
    var epoch: String?
    var known: KnownLookups
}

extension Discovery {
    /// What is known: from memory if that is what the replica has, else read.
    func memory(of account: ReplicaAccount) async throws -> LookupMemory {
        let kept = state.withLock(\.memory)
        return try await read(account, kept)
    }

    /// As ``memory(of:)``; nobody else has it until it is kept again, so that changing it copies nothing.
    func takeMemory(of account: ReplicaAccount) async throws -> LookupMemory {
        let kept = state.withLock { state in
            defer { state.memory = nil }
            return state.memory
        }
        return try await read(account, kept)
    }

    private func read(_ account: ReplicaAccount, _ kept: LookupMemory?) async throws -> LookupMemory {
        try await replica.read { db, _ in
            let rows = LookupRows(db: db, account: account.key)
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
