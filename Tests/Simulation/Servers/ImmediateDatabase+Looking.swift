import Foundation
import KithModel
import KithServer

/// How the auditor reads the records of a server.
extension ImmediateDatabase {
    func feeds(of account: AccountID) throws -> [FeedID] {
        let lists = try readNow { transaction in
            try transaction.query("SELECT feed FROM access WHERE account = ? ORDER BY feed", [.id(account)]).map {
                try $0.id(0) as FeedID
            }
        }
        return lists.contains(account.retyped()) ? lists : lists + [account.retyped()]
    }

    /// The feeds that each account can read, except its own feed.
    func access() throws -> [AccountID: Set<FeedID>] {
        try readNow { transaction in
            var access: [AccountID: Set<FeedID>] = [:]
            for row in try transaction.query("SELECT account, feed FROM access") {
                access[try row.id(0), default: []].insert(try row.id(1))
            }
            return access
        }
    }

    /// The blocks of storage of each owner: as they are counted, and as the feeds have them.
    func blocksOfOwners() throws -> (counted: [AccountID: Int64], actual: [AccountID: Int64]) {
        try readNow { transaction in
            func blocks(_ sql: String) throws -> [AccountID: Int64] {
                let rows = try transaction.query(sql).map { (try $0.id(0) as AccountID, try $0.integer(1)) }
                return Dictionary(uniqueKeysWithValues: rows.filter { $0.1 != 0 })
            }
            return (
                try blocks("SELECT account, blocks FROM storage"),
                try blocks(
                    """
                    SELECT access.account, SUM((feed.bytes + 65535) / 65536) FROM access JOIN feed ON feed.id = access.feed
                    WHERE access.role = 'owner' GROUP BY access.account
                    """)
            )
        }
    }

    func owner(of list: ListID) throws -> AccountID? {
        try readNow { transaction in
            try transaction.query("SELECT account FROM access WHERE feed = ? AND role = 'owner'", [.id(list)]).first?
                .id(0)
        }
    }

    /// The fields of a live record.
    func fields(of record: RecordID<Never>, in feed: FeedID) throws -> Fields? {
        try fields(of: [Place(feed: feed, record: record)]).values.first
    }

    /// The fields of those records that are live.
    func fields(of places: Set<Place>) throws -> [Place: Fields] {
        try readNow { transaction in
            var fields: [Place: Fields] = [:]
            for place in places {
                fields[place] = try transaction.query(
                    "SELECT fields FROM record WHERE feed = ? AND id = ?", [.id(place.feed), .id(place.record)]
                ).first.map { try StoredText.fields($0.text(0)) }
            }
            return fields
        }
    }

    /// Every contact record.
    func contacts() throws -> [Pair: Fields] {
        try readNow { transaction in
            let rows = try transaction.query(
                "SELECT feed, id, fields FROM record WHERE collection = 'contact'")
            var contacts: [Pair: Fields] = [:]
            for row in rows {
                let pair = Pair(owner: try row.id(0), other: try row.id(1))
                contacts[pair] = try StoredText.fields(row.text(2))
            }
            return contacts
        }
    }

    func profile(of account: AccountID) throws -> Fields {
        try readNow { transaction in
            try transaction.query(
                "SELECT fields FROM record WHERE feed = ? AND collection = 'profile'", [.id(account)]
            ).first.map { try StoredText.fields($0.text(0)) } ?? [:]
        }
    }
}
