import KithModel
import KithServer

/// A database for tests. It passes everything on to the database behind it, except for what its type changes.
protocol DatabaseDouble: Database {
    /// The database behind it.
    var database: any Database { get }

    /// Performs a write. The read that follows it runs as another transaction.
    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws

    /// Performs any read.
    func performRead(_ work: any TransactionWork) async throws
}

extension DatabaseDouble {
    var server: ServerID { database.server }
    var hasSeveralWriters: Bool { database.hasSeveralWriters }

    func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws {
        switch mode {
        case .write(let turn): try await performWrite(work, inTurn: turn)
        case .read, .peek, .check: try await performRead(work)
        }
    }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        try await database.write { try work.run(in: $0) }
    }

    func performRead(_ work: any TransactionWork) async throws { try await database.perform(work, as: .read) }
}

extension TransactionWork {
    /// Whether its result has this type.
    func gives(_ result: Any.Type) -> Bool { (self as? TransactionClosure)?.result == result }

    /// Whether it is a push of a device.
    var isPush: Bool { gives(PushResult.self) }
}
