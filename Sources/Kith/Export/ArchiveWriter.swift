import Foundation
import KithModel

/// Writes the archive of an account.
struct ArchiveWriter {
    private let client: KithClient
    /// Why something is missing that only the server has; nil while nothing is.
    private var missingReason: String?
    /// Whether it makes sense to ask the server once more.
    private var isServerThere = true

    init(_ client: KithClient) { self.client = client }

    /// The data that only the server has.
    private struct ServerData {
        var sessions: [SessionEntry]
        var identities: [OwnIdentity]
        var issuerIdentities: [OwnIssuerIdentity]
        var passkeys: [Passkey]
        var recoveryCodes: RecoveryStatus
        /// Nil if the server has not answered for all lists.
        var links: [ListLink]?
    }

    /// Writes the archive to a new file that only its owner may read.
    ///
    /// - Parameters:
    ///   - file: The location. There must be no file yet.
    ///   - files: Further files of the app.
    /// - Returns: What was written.
    /// - Throws: ``KithError``; an error of Foundation if the file cannot be written; `CancellationError`.
    mutating func write(to file: URL, adding files: [ExportFile]) async throws -> AccountExport {
        let now = client.replica.dependencies.now()
        let path = file.path(percentEncoded: false)
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        UnfinishedArchive.lock(handle)
        var archive = ZipArchive(to: handle, at: now.date)

        let lists = try await client.lists.all()
        let server = try await serverData(lists)
        try archive.add("README.txt", Data(Self.readme(at: now).utf8))
        let account = try await exportedAccount(at: now, server)
        try archive.add("account.json", try Self.json(account))
        var records = try await addFeed(.own, as: "records/account.json", to: &archive)
        var names: Set<String> = []
        for list in lists {
            records += try await addFeed(.ofList(list.id.retyped()), as: "records/\(list.id).json", to: &archive)
            let items = try await client.lists.items(in: list.id)
            let document = ListDocument(
                name: list.name, kind: list.kind, theme: list.theme, items: items.map { ItemDraft($0) })
            let name = Self.name(of: list, &names)
            try archive.add("\(name).ics", ListFormat.icalendar.write(document))
            try archive.add("\(name).json", ListFormat.json.write(document))
            try Task.checkCancellation()
        }
        try await addPictures(to: &archive)
        let people = try await addNetwork(to: &archive)
        let rejections = try await client.rejections()
        try archive.add("rejections.json", try Self.json(rejections.map(ExportedRejection.init)))
        for file in files { try archive.add(file.path, file.data) }
        // `ask` takes the error of a cancelled request for an answer that is missing.
        try Task.checkCancellation()
        try archive.finish()
        try handle.synchronize()
        return AccountExport(
            lists: lists.count, records: records, people: people, missingReason: missingReason)
    }

    private static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    private func exportedAccount(at now: Timestamp, _ server: ServerData?) async throws -> ExportedAccount {
        let account = try await client.replica.read { $0.account }
        return ExportedAccount(
            exported: now, account: account.id, server: account.home.id, address: account.home.address,
            state: account.state.rawValue, sessions: server?.sessions, identities: server?.identities,
            issuerIdentities: server?.issuerIdentities, passkeys: server?.passkeys,
            recoveryCodes: server?.recoveryCodes, links: server?.links)
    }

    /// Adds the records of a feed, including unsent edits.
    ///
    /// - Returns: The number of records.
    private func addFeed(_ feed: ReplicaFeed, as name: String, to archive: inout ZipArchive) async throws -> Int {
        let collections = client.replica.dependencies.collections
        let exported = try await client.replica.read { reading in
            var exported = ExportedFeed(feed: feed.id)
            for table in collections.tables(of: feed) {
                let records = try table.records(of: feed, in: reading.store).filter { !$0.1.isRemoved }
                exported.records[table.schema.collection.rawValue] = records.map { key, record in
                    ExportedFeed.Record(
                        id: key.id, modified: record.modified, isSent: record.sequence > 0,
                        fields: record.fields.filter { $0.value != .null })
                }
            }
            return exported
        }
        try archive.add(name, try Self.json(exported))
        return exported.count
    }

    /// Adds the account's own picture. It is missing if another device has set it and the server cannot be reached.
    private mutating func addPictures(to archive: inout ZipArchive) async throws {
        let network = client.network
        for size in [PictureSize.small, .large] {
            guard let picture = try await ask({ try await network.picture(size) }) else { continue }
            let type = PictureType(picture)?.rawValue.split(separator: "/").last ?? "bin"
            try archive.add("profile/\(size.rawValue).\(type)", picture)
        }
    }

    /// Adds the people of the network as vCards, unless there is nobody.
    ///
    /// - Returns: The number of people.
    private mutating func addNetwork(to archive: inout ZipArchive) async throws -> Int {
        let network = client.network
        let people = try await network.contacts()
        if people.isEmpty { return 0 }
        var cards = ""
        for person in people {
            var details = try await network.knownDetails(of: person.id)
            // Without the server, the card has what the device knows.
            if details?.isComplete != true, isServerThere {
                details = try await ask { try await network.currentDetails(of: person.id) } ?? details
            }
            cards += NetworkCard(person, details?.profile).text
            try Task.checkCancellation()
        }
        try archive.add("contacts/network.vcf", Data(cards.utf8))
        return people.count
    }

    // MARK: What only the server has

    /// The data that only the server has; nil if the server cannot be asked.
    private mutating func serverData(_ lists: [SharedList]) async throws -> ServerData? {
        guard try await client.session.account() != nil else {
            // No server knows the account: there is nothing to ask for, and nothing is missing.
            isServerThere = false
            return nil
        }
        guard client.engine.server.connection != nil else {
            (missingReason, isServerThere) = ("The server was not asked.", false)
            return nil
        }
        let (session, signIn) = (client.session, client.signIn)
        let data = try await ask {
            ServerData(
                sessions: try await session.all(), identities: try await signIn.identities(),
                issuerIdentities: try await signIn.issuerIdentities(), passkeys: try await signIn.passkeys.all(),
                recoveryCodes: try await signIn.recoveryStatus())
        }
        guard var data else {
            missingReason = missingReason ?? "The server has no such data of the account."
            return nil
        }
        data.links = try await links(of: lists.filter { $0.role == .owner })
        return data
    }

    /// The links of these lists; nil if the server has not answered for all of them.
    private mutating func links(of lists: [SharedList]) async throws -> [ListLink]? {
        var links: [ListLink] = []
        for list in lists {
            links += try await ask { [client] in try await client.lists.links(of: list.id) } ?? []
            if missingReason != nil { return nil }
        }
        return links
    }

    /// The longest pause that the server can ask for, and how often it can do so for one request.
    private static let (longestPause, mostPauses) = (Duration.seconds(60), 10)

    /// The answer to a request; nil if the server has nothing, such as for a list that was never sent, or if it cannot be
    /// asked, which is noted. Waits as long as the server says while there are too many requests.
    private mutating func ask<Answer: Sendable>(_ request: () async throws -> Answer?) async throws -> Answer? {
        var pauses = 0
        while true {
            do {
                return try await request()
            } catch KithError.Code.notFound {
                return nil
            } catch let error as KithError {
                let pause = error.code == .busy ? error.retryAfter : nil
                guard let pause, pause <= Self.longestPause, pauses < Self.mostPauses else {
                    missingReason = missingReason ?? error.sentence
                    if [.offline, .noServer, .unauthorized].contains(error.code) { isServerThere = false }
                    return nil
                }
                pauses += 1
                try await client.replica.dependencies.pause(pause)
            }
        }
    }

    /// The path of a list's files without their endings: its name without characters that some file systems refuse. A name
    /// that another list has already is followed by the list's id.
    private static func name(of list: SharedList, _ names: inout Set<String>) -> String {
        let plain = list.name.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : " " }
        let words = String(plain).split(separator: " ").joined(separator: " ")
        var short = words.prefix(60)
        // The name of a file has at most 255 bytes, and the id may follow.
        while short.utf8.count > 180 { short.removeLast() }
        if short.isEmpty { short = "List" }
        if Self.isDevice(String(short)) { short += " list" }
        // Some file systems do not distinguish upper and lower case, or composed and decomposed letters.
        let key = short.lowercased().precomposedStringWithCanonicalMapping
        let isNew = names.insert(key).inserted
        return "lists/\(isNew ? short : "\(short) \(list.id)")"
    }

    /// Whether Windows takes the name for a device, also with an ending: `con.ics`, `LPT1.ics`.
    private static func isDevice(_ name: String) -> Bool {
        name.lowercased().wholeMatch(of: /con|prn|aux|nul|(com|lpt)[0-9¹²³]/) != nil
    }

    private static func readme(at now: Timestamp) -> String {
        """
        This archive contains everything of one Kith account, as of \(now.date.formatted(.iso8601)).

        account.json       the account, its server, its sessions (signed-in devices), its ways to sign in (numbers and
                           emails, identities at issuers, passkeys without their keys, how many recovery codes are
                           left), and the links of its lists. All but the first two are null if no server knows the
                           account or the server could not be reached, and the links also if it has not told all
                           of them.
        records/           every record that the account owns or can read, with all its fields, as JSON.
                           account.json has the profile, the people of the network, the invitations, the
                           memberships, and what was shared and earned; every other file has one list, with its
                           items and its people.
        lists/             the same lists: as iCalendar tasks (RFC 5545), for calendars and to-do programs, without
                           the kind and the theme of a list, and as JSON with everything that Kith can import again
                           ("kith lists import").
        profile/           your picture in both sizes, if you have one.
        contacts/          the people of your network as vCards (RFC 6350), and further contacts if the program that
                           wrote this archive has any.
        rejections.json    the edits that the server has refused, with their values.

        Times in JSON are milliseconds since 1970, UTC. Ids are UUIDs. The fields of each collection of records are
        described in openapi.json of Kith, under the names ListRecord, ItemRecord, MemberRecord, MembershipRecord,
        ProfileRecord, ContactRecord, InvitationRecord, ShareableRecord, ShareRecord, ClaimRecord, EventRecord,
        ReferralRecord and RewardRecord. "isSent" says whether the server has the record.

        """
    }
}
