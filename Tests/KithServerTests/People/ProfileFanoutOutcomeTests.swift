import KithModel
import KithServer
import Testing

@Suite("What a changed profile becomes in contacts") struct ProfileFanoutOutcomeTests {
    /// A contact and its feed, as they are stored.
    private struct Look: Hashable {
        let row: FeedRow
        let record: RecordRow
        let text: String
        /// The columns that a changed profile does not touch.
        let rest: [String]
        let revision: Revision

        init(_ feed: FeedID, _ id: RecordID<Never>, in town: Town) throws {
            row = try #require(try town.row(feed))
            record = try #require(try town.record(feed, id))
            let columns = "fields, collection, stamps, CAST(deleted AS TEXT), revision"
            let rows = try town.database.readNow { transaction in
                try transaction.query("SELECT \(columns) FROM record WHERE feed = ? AND id = ?", [.id(feed), .id(id)])
            }
            let columnsRead = try #require(rows.first)
            text = try columnsRead.text(0)
            rest = try (1...3).map { try columnsRead.text($0) }
            revision = Revision(try columnsRead.integer(4))
        }
    }

    @Test(
        "Each contact gets what may be seen and keeps the rest, byte for byte; the others do not move",
        arguments: 0..<20 as Range<UInt64>)
    func outcome(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let town = try Town()
        var ada = try town.phone()
        let feeds = try (0..<30).map { _ in try town.phone().home }
        for feed in feeds { try Self.lay(Self.contact(&dice), ada.me, in: feed, of: town, &dice) }
        let outcomes = try ada.outcomes(ada.profile(Self.profile(&dice)))
        #expect(outcomes == ["applied"])
        let profile = try #require(try town.record(ada.home, Profile.id)).state.fields

        let before = try feeds.map { try Look($0, ada.me, in: town) }
        let signals = try town.database.writeNow { [now = town.now] in try ProfileFanout.take(at: now, in: $0) }
        let after = try feeds.map { try Look($0, ada.me, in: town) }

        var moved: Set<FeedID> = []
        for (old, new) in zip(before, after) {
            let fields = Self.fields(of: ada.account, showing: profile, old, new)
            if fields == old.record.state.fields {
                #expect(new == old)
                continue
            }
            moved.insert(old.row.id)
            #expect(Array(new.text.utf8) == Array(StoredText.text(fields).utf8))
            var row = old.row
            row.digest.remove(ada.me, sequence: old.record.state.sequence)
            row.sequence += 1
            row.digest.add(ada.me, sequence: row.sequence)
            row.writtenAt = max(town.now, row.writtenAt)
            row.bytes += Int64(new.text.utf8.count - old.text.utf8.count)
            row.revision = new.row.revision
            #expect(new.row == row && row.revision > old.row.revision)
            #expect(new.rest == old.rest && new.revision == row.revision)
            let state = RecordState(
                fields: fields, stamps: old.record.state.stamps, sequence: row.sequence, modified: row.writtenAt)
            #expect(new.record.state == state)
        }
        #expect(signals == Signals(moved: moved))
    }

    @Test("Trap: nothing is written into the feed of a deleted account, which is being cleared") func closed() throws {
        var dice = SplitMix64(seed: 1)
        let town = try Town()
        var ada = try town.phone()
        let feeds = try (0..<2).map { _ in try town.phone().home }
        for feed in feeds { try Self.lay(["asked": 1, "wish": "connect"], ada.me, in: feed, of: town, &dice) }
        try ada.sync(ada.profile(["given": "Ada", "status": "by the sea"]))
        try town.execute("UPDATE feed SET closed = 1 WHERE id = ?", [.id(feeds[0])])
        let before = try Look(feeds[0], ada.me, in: town)
        let signals = try town.database.writeNow { [now = town.now] in try ProfileFanout.take(at: now, in: $0) }
        #expect(signals.moved == [feeds[1]])
        #expect(try Look(feeds[0], ada.me, in: town) == before)
    }

    @Test("A step leaves the partial indexes of records alone") func indexes() async throws {
        let town = try Town()
        var (ada, ben) = (try town.phone(), try town.phone())
        try town.connect(&ben, &ada)
        try town.reach()
        try ada.sync(ada.profile(["status": "by the sea"]))
        let counting = CountingDatabase(town.database)
        _ = try await counting.write { [now = town.now] in try ProfileFanout.take(at: now, in: $0) }
        let sql = try #require(counting.statements.first { $0.hasPrefix("INSERT INTO record ") })
        #expect(try town.indexesRenewed(by: sql) == ["record_sequence"])
    }

    /// The fields of a contact after its fan-out, as a record that is read and decoded would get them.
    private static func fields(of account: AccountID, showing profile: Fields, _ old: Look, _ new: Look) -> Fields {
        var fields = old.record.state.fields
        let contact = NetworkContact(id: account, fields, modified: old.record.state.modified)
        let shown: Fields =
            switch contact.relation {
            case .connected: Profile.shown(profile, toNetwork: true)
            case .none where !contact.isBlocked: [:]
            default: Profile.shown(profile, toNetwork: false)
            }
        for name in NetworkContact.summary { fields[name] = shown[name] }
        fields["isBot"] = nil
        // The tag is a hash; other tests say of what.
        let tag = new.record.state.fields["detailsTag"]
        fields["detailsTag"] = tag
        let hasDetails = shown.keys.contains { !NetworkContact.summary.contains($0) }
        #expect((tag != nil) == hasDetails)
        return fields
    }

    @Test("An edit of one contact shows the same afterwards") func oneByOne() throws {
        let town = try Town()
        var (ada, ben) = (try town.phone(), try town.phone())
        try town.connect(&ben, &ada)
        try town.reach()
        try ada.sync(ada.profile(["given": "Ada", "status": "by the sea", "country": "AT"]))
        try town.reach()
        let row = try #require(try town.row(ben.home))
        // The consequences of the edit refresh the contact.
        try ben.sync()
        try ben.sync(ben.contact(ada, ["mutedFrom": 5]))
        let state = try #require(try town.record(ben.home, ada.me)).state
        #expect(state.fields["status"] == "by the sea" && state.fields["detailsTag"] != nil)
        #expect(state.sequence == row.sequence + 1)
        #expect(try town.row(ben.home)?.sequence == row.sequence + 1)
    }

    @Test("A step takes as many statements for many people as for one, and finds their rows by an index")
    func statements() async throws {
        let town = try Town()
        var ada = try town.phone()
        let counting = CountingDatabase(town.database)
        var counts: [Int] = []
        for status in ["one", "two"] {
            for _ in 0..<(status == "one" ? 1 : 20) {
                var friend = try town.phone()
                try town.connect(&friend, &ada)
            }
            try town.reach()
            try ada.sync(ada.profile(["status": .text(status)]))
            counting.reset()
            _ = try await counting.write { [now = town.now] in try ProfileFanout.take(at: now, in: $0) }
            counts.append(counting.statements.count)
        }
        #expect(counts[0] == counts[1])
        for sql in Set(counting.statements) where sql.contains("wanted") {
            try town.expectSearches(sql)
        }
    }

    // MARK: Random contacts and profiles

    /// Writes a contact into the database, with a feed that was written before or after the town's time.
    private static func lay(
        _ fields: Fields, _ id: RecordID<Never>, in feed: FeedID, of town: Town, _ dice: inout SplitMix64
    ) throws {
        let sequence = Int64.random(in: 1...5, using: &dice)
        let written = town.now.milliseconds + Int64.random(in: -5...5, using: &dice)
        let stamps = Stamps(common: Stamp(time: Timestamp(milliseconds: written), sequence: sequence, device: 7))
        let row: [SQLValue] = [
            .id(feed), .id(id), .text("contact"), .integer(sequence), .integer(written), .text(StoredText.text(fields)),
            .text(StoredText.text(stamps)), .flag(false),
        ]
        try town.database.writeNow { transaction in
            try transaction.insert(
                into: "record", ["feed", "id", "collection", "sequence", "modified", "fields", "stamps", "deleted"],
                [row])
            try transaction.execute(
                "UPDATE feed SET sequence = ?, written_at = ?, live = 1 WHERE id = ?",
                [.integer(sequence + 2), .integer(written), .id(feed)])
        }
    }

    private static func contact(_ dice: inout SplitMix64) -> Fields {
        var fields: Fields = [:]
        if Bool.random(using: &dice) { fields["asked"] = 1 }
        if Bool.random(using: &dice) { fields["isBlocked"] = .flag(Bool.random(using: &dice)) }
        if Bool.random(using: &dice) { fields["isBot"] = true }
        if Bool.random(using: &dice) {
            fields["wish"] = .text(NetworkContact.Wish.allCases.randomElement(using: &dice)?.rawValue ?? "")
        }
        for name in ["given", "status", "company", "detailsTag", "title"] where Bool.random(using: &dice) {
            fields[name] = .text(texts.randomElement(using: &dice) ?? "")
        }
        // Fields of a newer version.
        for name in ["a", "given2", #"pict"ure"#, "zz"] where Int.random(in: 0..<8, using: &dice) == 0 {
            fields[name] = values.randomElement(using: &dice)
        }
        return fields
    }

    private static func profile(_ dice: inout SplitMix64) -> Fields {
        var fields: Fields = ["given": "Ada"]
        for name in ["family", "status", "company", "jobTitle"] where Bool.random(using: &dice) {
            fields[name] = .text(texts.randomElement(using: &dice) ?? "")
        }
        if Bool.random(using: &dice) { fields["country"] = "AT" }
        for name in ["given", "status", "company", "country"] where Bool.random(using: &dice) {
            fields[name + "Visibility"] = .text(Visibility.allCases.randomElement(using: &dice)?.rawValue ?? "")
        }
        return fields
    }

    private static let values: [FieldValue] = [1, "new", .array([1, "}"]), .object(["wish": "connect"])]
    private static let texts = ["Ada", "by the sea", #"","asked":1,"wish":"connect"#, "é\n", "e\u{301}", "\\"]
}
