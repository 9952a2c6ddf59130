import Foundation
import KithModel
import KithServer
import Testing

@Suite("What becomes of an account’s rows when it is deleted") struct DeletedAccountTablesTests {
    /// The names of columns that hold accounts.
    private static let columns: Set = ["account", "sender", "receiver", "peer", "advocate", "friend"]

    private static func namesAccounts(_ column: StoredTable.Column) -> Bool {
        column.type == "BYTES" && columns.contains(column.name)
    }

    @Test("Each table with an account is in one of the lists; a new one has to be added") func complete() throws {
        let tables = try SQLiteDatabase.inMemory().readNow { try StoredTable.all(in: $0) }
            .filter { $0.columns.contains(where: Self.namesAccounts) }
        let listed = [
            DeletedAccountTables.deleted, DeletedAccountTables.changed, DeletedAccountTables.endedLater,
            DeletedAccountTables.kept,
        ].joined()
        #expect(listed.sorted() == tables.map(\.name))
    }

    @Test("The rows of the tables that are to be emptied are deleted, those of others and of other accounts stay")
    func deleted() throws {
        let town = try Town()
        let accounts = [try town.phone().account, try town.phone().account]
        let (emptied, kept) = (Set(DeletedAccountTables.deleted), Set(DeletedAccountTables.kept))
        let tables = try town.database.readNow { try StoredTable.all(in: $0) }
            .filter { emptied.union(kept).contains($0.name) }
        try town.database.writeNow { transaction in
            for table in tables { for account in accounts { try Self.add(account, to: table, in: transaction) } }
        }
        try AccountService.deleteNow(accounts[0], at: town.now, on: town.database)
        for table in tables {
            let rows = try accounts.map { try Self.rows(of: $0, in: table, town) }
            #expect(rows == [kept.contains(table.name) ? 1 : 0, 1], "\(table.name)")
        }
    }

    @Test("The background jobs end what is left to them") func later() throws {
        let (world, owner, _, _) = try InvitationWorld.withList()
        let town = world.town
        var ada = owner
        try ada.sync(ada.invite("mailto:ben@example.com"))
        try world.work()
        try AccountService.deleteNow(ada.account, at: town.now, on: town.database)
        try world.work()
        try town.reach()
        for table in try town.database.readNow({ try StoredTable.all(in: $0) })
        where DeletedAccountTables.endedLater.contains(table.name) {
            #expect(try Self.rows(of: ada.account, in: table, town) == 0, "\(table.name)")
        }
    }

    /// Adds a row with an account, and with any other values.
    private static func add(
        _ account: AccountID, to table: StoredTable, in transaction: any Transaction
    ) throws {
        let row = table.columns.map { column -> SQLValue in
            switch column.type {
            case _ where namesAccounts(column): .id(account)
            case "TEXT": .text(account.description)
            case "BIGINT": .integer(1)
            default: .bytes(account.uuid.data)
            }
        }
        try transaction.insert(into: table.name, table.columnNames, [row], replacing: table.keyNames)
    }

    /// The number of rows that name an account.
    private static func rows(of account: AccountID, in table: StoredTable, _ town: Town) throws -> Int64? {
        let columns = table.columns.filter(namesAccounts).map(\.name)
        let condition = columns.map { "\($0) = ?" }.joined(separator: " OR ")
        return try town.database.readNow { transaction in
            try transaction.query(
                "SELECT count(*) FROM \(table.name) WHERE \(condition)", columns.map { _ in .id(account) }
            ).first?.integer(0)
        }
    }
}
