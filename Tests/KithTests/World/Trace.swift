import GRDB
import Kith

extension KithClient {
    /// The statements that `body` runs on the replica.
    func trace(_ body: () async throws -> Void) async throws -> [String] {
        let statements = Kept<[String]>([])
        let database = replica.database
        try await database.writeWithoutTransaction { db in
            db.trace { event in statements.change { $0.append(event.description) } }
        }
        try await body()
        try await database.writeWithoutTransaction { $0.trace() }
        return statements.value
    }
}

extension String {
    /// Whether a statement reads all edits that wait, whatever their records.
    var readsAllUnsent: Bool { contains("account = ?1 AND taken IS NULL ORDER BY ordinal") }
}
