import Foundation
import GRDB
import KithModel

/// Writes the archive of an account.
struct ArchiveWriter {
    let client: KithClient

    /// What only the server has.
    private struct ServerPart {
        var sessions: [SessionEntry]
        var identities: [OwnIdentity]
        var links: [ListLink]
    }

    func write(to file: URL, adding files: [ExportFile]) async throws -> AccountExport {
        let now = client.replica.dependencies.now()
        let path = file.path(percentEncoded: false)
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var archive = ZipArchive(to: handle, at: now.date)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]

        let lists = try await client.lists.all()
        let (part, missing) = await serverPart(lists)
        let account = try await client.replica.read { $1 }
        try archive.add("README.txt", Data(Self.readme(at: now).utf8))
        try archive.add(
            "account.json",
            try encoder.encode(
                ExportedAccount(
                    exported: now, account: account.id, server: account.home.id, address: account.home.address,
                    state: account.state.rawValue, sessions: part?.sessions, identities: part?.identities,
                    links: part?.links)))
        let own = try await feed(nil)
        var count = own.count
        try archive.add("records/account.json", try encoder.encode(own))
        var names: Set<String> = []
        for list in lists {
            let records = try await feed(list.id.retyped())
            count += records.count
            try archive.add("records/\(list.id).json", try encoder.encode(records))
            let items = try await client.lists.items(in: list.id)
            let document = ListDocument(name: list.name, items: items.map(\.draft))
            try archive.add(Self.name(of: list, &names), ListFormat.icalendar.write(document))
            try Task.checkCancellation()
        }
        // My own picture is on this device, unless another device has set it and the server cannot be asked now.
        for size in [PictureSize.small, .large] {
            guard let picture = try? await client.network.picture(size) else { continue }
            let type = PictureType(picture)?.rawValue.split(separator: "/").last ?? "bin"
            try archive.add("profile/\(size.rawValue).\(type)", picture)
        }
        let rejections = try await client.rejections()
        try archive.add("rejections.json", try encoder.encode(rejections.map(ExportedRejection.init)))
        for file in files { try archive.add(file.path, file.data) }
        try archive.finish()
        try handle.synchronize()
        return AccountExport(lists: lists.count, records: count, missing: missing)
    }

    /// The records of a feed, with unsent edits; those of the account's own feed if `feed` is nil.
    private func feed(_ feed: FeedID?) async throws -> ExportedFeed {
        let collections = client.replica.dependencies.collections
        return try await client.replica.read { db, account in
            var exported = ExportedFeed(feed: feed)
            for table in collections.tables(inOwnFeed: feed == nil) {
                let records = try table.records(db, account.key, feed: feed).filter { !$0.1.isRemoved }
                exported.records[table.schema.collection.rawValue] = records.map { key, record in
                    ExportedFeed.Record(
                        id: key.id, modified: record.modified, isSent: record.sequence > 0,
                        fields: record.fields.filter { $0.value != .null })
                }
            }
            return exported
        }
    }

    /// What only the server has; nil with the reason if it cannot be asked.
    private func serverPart(_ lists: [SharedList]) async -> (ServerPart?, missing: String?) {
        guard client.engine.server.connection != nil else {
            return (nil, "The server was not asked.")
        }
        do {
            var part = ServerPart(
                sessions: try await client.signIn.sessions(), identities: try await client.signIn.identities(),
                links: [])
            for list in lists where list.role == .owner {
                // A list that was never sent has no links.
                guard let links = try? await client.lists.links(of: list.id) else { continue }
                part.links += links
            }
            return (part, nil)
        } catch let error as KithError {
            return (nil, error.sentence)
        } catch {
            return (nil, "The server could not be asked.")
        }
    }

    /// The path of a list's calendar: its name without characters that file systems do not have, and no name twice.
    private static func name(of list: SharedList, _ names: inout Set<String>) -> String {
        let plain = list.name.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : " " }
        let words = String(plain).split(separator: " ").joined(separator: " ")
        let short = words.isEmpty ? "List" : String(words.prefix(60))
        // File systems do not distinguish upper and lower case, or composed and decomposed letters, everywhere.
        let key = short.lowercased().precomposedStringWithCanonicalMapping
        let isNew = names.insert(key).inserted
        return "lists/\(isNew ? short : "\(short) \(list.id)").ics"
    }

    private static func readme(at now: Timestamp) -> String {
        """
        This archive contains everything of one Kith account, as of \(now.date.formatted(.iso8601)).

        account.json       the account, its server, its sessions (signed-in devices), its numbers and emails, and the
                           links of its lists. What only the server has is null if the server could not be reached.
        records/           every record that the account owns or can read, with all its fields, as JSON.
                           account.json has the profile, the people of the network, the invitations and the
                           memberships; every other file has one list, with its items and its people.
        lists/             the same lists as tasks of iCalendar (RFC 5545), for calendars and to-do programs.
        profile/           your picture in both sizes, if you have one.
        contacts/          contacts as vCards (RFC 6350), if the program that wrote this archive has them.
        rejections.json    edits that the server has refused, with their values.

        Times in JSON are milliseconds since 1970, UTC. Ids are UUIDs. The fields of each collection of records are
        described in openapi.json of Kith, under the names ListRecord, ItemRecord, MemberRecord, MembershipRecord,
        ProfileRecord and ContactRecord. "isSent" says whether the server has the record.

        """
    }
}

extension ListItem {
    /// The item for a file.
    fileprivate var draft: ItemDraft {
        ItemDraft(
            title: title, count: count, isTicked: isTicked, category: category, comment: comment, offer: offer)
    }
}
