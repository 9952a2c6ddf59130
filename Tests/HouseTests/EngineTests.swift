import Testing

/// The engine treats every collection alike. What is special about one is said in one place on each side.
///
/// The auditor that judges the engine in the simulation treats every collection alike, too.
@Suite("The engine names no collection") struct EngineTests {
    private static let engine = [
        "Sources/KithModel/Merging/", "Sources/KithServer/Sync/", "Sources/Kith/Outbox/", "Sources/Kith/Sync/",
        "Sources/Kith/Server/", "Sources/Kith/Records/", "Sources/Kith/Replica/", "Sources/Kith/Signals/",
        "Tests/Simulation/Auditor/",
    ]

    @Test("The engine’s folders name no collection and no kind of record")
    func engine() {
        // Migrations keep the names that tables had when they were released.
        let files = MannersTests.allSwift.filter { file in
            Self.engine.contains { file.path.hasPrefix($0) } && !file.path.hasSuffix("/ReplicaSchema.swift")
        }
        #expect(files.count > 15)
        for folder in Self.engine {
            #expect(files.contains { $0.path.hasPrefix(folder) }, "\(folder) has no file: name its new place here.")
        }
        let names = CollectionNames()
        for file in files {
            for (index, line) in file.lines.enumerated() {
                if let name = names.first(in: line) {
                    Issue.record(
                        "\(file.path):\(index + 1): “\(name)” belongs to its rules (CollectionRules and ReplicaRules), or to its own auditor."
                    )
                }
            }
        }
    }

    @Test(
        "A line that names one is found",
        arguments: [
            "case .items: 1", "of: .contacts, at", "ListItem.schema", "[.members]", "let a: Profile?",
            "record(.list(key.list))", "EXCEPT SELECT id FROM membership WHERE", #"tables = ["account", "profile"]"#,
            "of: .shareables, at", "Share.schema", "SELECT id FROM reward WHERE", "live(.shareable(id, of: account))",
            "at: .share(id)", "let claim = Claim(id: id)", "ProfileFanout.step",
            "for item in content.items {", "try device.content().members", "before.contacts == after.contacts",
            "try device.replica.profile().fields",
        ])
    func found(line: Substring) {
        #expect(CollectionNames().first(in: line) != nil)
    }

    @Test(
        "A property for one collection is found",
        arguments: [
            "var contacts: [RecordPlace] = []", "var pictures: Set<String> = []", "var bots: Set<AccountID> = []",
            "var codes: Set<String> = []", "var codesLeft = 0", "var readsCodeRules = false",
            "var codeRules: [String: ShareCodeRules] = [:]", "var listTokens: Set<String> = []",
            "known.publicTokens.insert(token)", "known.publicLists = []",
            "places.append((table, unsentPictures))", #"for row in rows(of: "picture") {"#,
        ])
    func foundProperty(line: Substring) {
        #expect(CollectionNames().first(in: line) != nil)
    }

    @Test(
        "A line that does not is none",
        arguments: [
            "needs.lists.insert(feed)", "// a Member of it", "StoredMembers(bytes)", "places.members[0]",
            #"case "list": .list"#, "schema.home == .list ? feed : nil", "needs.newIDs.insert(id)",
            "case .rejected(let code):", "error.code == .codeWrong", "let bottom = decodes",
            "transaction.event(of: error)", "self.public", "KithLink.server(ofShare: typed, like: own)",
            "withTokens { tokens in",
            "look.rejections", "look.shownLists", "try world.records(on: device, look)",
        ])
    func innocent(line: Substring) {
        #expect(CollectionNames().first(in: line) == nil)
    }
}

/// The names of collections, in code.
private struct CollectionNames {
    /// Names of a collection: its constant, as in `.items`, a key, as in `.list(id)`, the type of its records, its table, and
    /// what a device shows of it, as in `content.items`. Whether a feed is that of a list or of an account is no collection.
    ///
    /// They are kept because a pattern is translated when it is first used.
    private let whole: [Regex<(Substring, Substring)>] = [
        /(?:^|[^\w\)\]?!])\.(items|lists|members|memberships|profiles|contacts|invitations)\b/.wordBoundaryKind(
            .simple),
        /(?:^|[^\w\)\]?!])\.(shareables|shares|claims|events|referrals|rewards)\b/.wordBoundaryKind(.simple),
        /\b(ListItem|SharedList|Member|NetworkContact|Share|SharingEvent)\b/.wordBoundaryKind(.simple),
        /(?:^|[^\w\)\]?!])\.(item|list|member|membership|profile|contact|invitation)\(/,
        /(?:^|[^\w\)\]?!])\.(shareable|share|claim|event|referral|reward)\(/,
        /\b(?:FROM|INTO|UPDATE|JOIN|TABLE) (item|list|member|membership|profile|contact|invitation)\b/,
        /\b(?:FROM|INTO|UPDATE|JOIN|TABLE) (shareable|share|claim|event|referral|reward)\b/,
        /"(item|member|membership|profile|contact|invitation|shareable|share|claim|referral|reward)"/,
        /\b(?:content|before|after|taken)(?:\(\))?\.(items|lists|members|contacts)\b/.wordBoundaryKind(.simple),
        /\breplica\.(items|members|contacts|profile)\(/.wordBoundaryKind(.simple),
    ]

    /// Names that have a word of one collection, at their beginning or later, as in `publicTokens`.
    private let parts: [Regex<(Substring, Substring)>] = [
        /\b((?:contact|picture|profile|bot|invitation|membership)s?(?:[A-Z_]\w*)?)\b/.wordBoundaryKind(.simple),
        /\b(\w*(?:Contact|Picture|Profile|Bot|Invitation|Membership)s?(?:[A-Z_]\w*)?)\b/.wordBoundaryKind(.simple),
        /\b((?:shareable|claim|referral|reward|programme)s?(?:[A-Z_]\w*)?)\b/.wordBoundaryKind(.simple),
        /\b(\w*(?:Shareable|Claim|Referral|Reward|Programme)s?(?:[A-Z_]\w*)?)\b/.wordBoundaryKind(.simple),
        // The code of an error or of a rejection is the engine's.
        /\b((?:\w*Code|code)(?:s|Rules)(?:[A-Z_]\w*)?)\b/.wordBoundaryKind(.simple),
        /\b(listTokens?|public[A-Z]\w*)\b/.wordBoundaryKind(.simple),
    ]

    /// Every name above contains one of these, whatever its case.
    private let stems = [
        "item", "list", "member", "profile", "contact", "invitation", "share", "sharing", "claim", "event", "referral",
        "reward", "picture", "bot", "programme", "code", "public",
    ]

    /// The first name in a line of code; nil if it names none.
    func first(in line: Substring) -> String? {
        if line.drop(while: \.isWhitespace).hasPrefix("//") { return nil }
        let lower = line.lowercased()
        guard stems.contains(where: { lower.contains($0) }) else { return nil }
        return (whole + parts).lazy.compactMap { line.firstMatch(of: $0)?.1 }.first.map { String($0) }
    }
}
