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

    @Test("Rows are deleted, changed or kept, as the list of their table says; those of other accounts stay")
    func atOnce() throws {
        let town = try Town()
        let (own, other) = (try town.phone().account, try town.phone().account)
        let (deleted, kept) = (Set(DeletedAccountTables.deleted), Set(DeletedAccountTables.kept))
        let tables = try town.database.readNow { try StoredTable.all(in: $0) }
        let filled = tables.filter { deleted.union(kept).union(DeletedAccountTables.changed).contains($0.name) }
        try town.database.writeNow { transaction in
            // The rows of `evaluation` are found by the keys of discovery.
            for table in filled + tables.filter({ $0.name == "discovery_key" }) {
                for account in [own, other] { try Self.add(account, to: table, in: transaction) }
            }
        }
        let stored = try filled.map {
            (own: try Self.rows(of: own, in: $0, town), other: try Self.rows(of: other, in: $0, town))
        }
        try town.delete(own)
        for (table, before) in zip(filled, stored) {
            #expect(!before.own.isEmpty && !before.other.isEmpty, "\(table.name)")
            let after = try Self.rows(of: own, in: table, town)
            if deleted.contains(table.name) {
                #expect(after.isEmpty, "\(table.name)")
            } else if kept.contains(table.name) {
                #expect(after == before.own, "\(table.name)")
            } else {
                #expect(after.isDisjoint(with: before.own), "\(table.name)")
            }
            #expect(try Self.rows(of: other, in: table, town) == before.other, "\(table.name)")
        }
    }

    @Test("The background jobs and a node end what is left to them") func later() throws {
        let (world, owner, friend, _) = try InvitationWorld.withList()
        let town = world.town
        var (ada, ben) = (owner, friend)
        // A list that she has left.
        let list: FeedID = town.id()
        try ben.sync(ben.create(list))
        try town.join(ada, list, of: ben, as: .editor)
        try ada.sync()
        try ada.sync(ada.leave(list))
        // An invitation that was sent.
        try ada.sync(ada.invite("mailto:cleo@example.com"))
        try world.work()
        // A live stream.
        let node = NodeID("node")
        var register = PresenceRegister(node: node)
        _ = register.open(1, of: ada.account, ada.device, as: .online, at: town.now)
        try Self.store(register.takeUntold(), at: node, town)
        let tables = try town.database.readNow { try StoredTable.all(in: $0) }
            .filter { DeletedAccountTables.endedLater.contains($0.name) }

        try town.delete(ada.account)
        for table in tables {
            #expect(try !Self.rows(of: ada.account, in: table, town).isEmpty, "Nothing is left to end: \(table.name)")
        }
        try world.work()
        try town.reach()
        _ = register.close(1, at: town.now)
        try Self.store(register.takeUntold(), at: node, town)
        for table in tables {
            #expect(try Self.rows(of: ada.account, in: table, town).isEmpty, "\(table.name)")
        }
    }

    /// Stores how presence has changed at a node.
    private static func store(_ changes: [PresenceChange], at node: NodeID, _ town: Town) throws {
        try town.database.writeNow { try PresenceRow.write(changes, at: node, in: $0) }
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

    /// The rows that name an account.
    private static func rows(of account: AccountID, in table: StoredTable, _ town: Town) throws -> Set<SQLRow> {
        let columns = table.columns.filter(namesAccounts).map(\.name)
        let condition = columns.map { "\($0) = ?" }.joined(separator: " OR ")
        return try town.database.readNow { transaction in
            Set(
                try transaction.query(
                    "SELECT \(table.columnNames.joined(separator: ", ")) FROM \(table.name) WHERE \(condition)",
                    columns.map { _ in .id(account) }))
        }
    }
}
