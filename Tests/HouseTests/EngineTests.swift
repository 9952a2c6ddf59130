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
        for file in files {
            for (index, line) in file.lines.enumerated() {
                if let name = Self.collection(in: line) {
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
        #expect(Self.collection(in: line) != nil)
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
        #expect(Self.collection(in: line) != nil)
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
        #expect(Self.collection(in: line) == nil)
    }

    /// The collection that a line of code names: by its constant, as in `.items`, by a key, as in `.list(id)`, by the
    /// type of its records, by its table, by what a device shows of it, as in `content.items`, or by a word in a name,
    /// as in `publicTokens`. Whether a feed is that of a list or of an account is no collection.
    private static func collection(in line: Substring) -> String? {
        if line.drop(while: \.isWhitespace).hasPrefix("//") { return nil }
        let constant = /(?:^|[^\w\)\]?!])\.(items|lists|members|memberships|profiles|contacts|invitations)\b/
            .wordBoundaryKind(
                .simple)
        let sharing = /(?:^|[^\w\)\]?!])\.(shareables|shares|claims|events|referrals|rewards)\b/.wordBoundaryKind(
            .simple)
        let type = /\b(ListItem|SharedList|Member|NetworkContact|Share|SharingEvent)\b/.wordBoundaryKind(.simple)
        let key = /(?:^|[^\w\)\]?!])\.(item|list|member|membership|profile|contact|invitation)\(/
        let sharingKey = /(?:^|[^\w\)\]?!])\.(shareable|share|claim|event|referral|reward)\(/
        let table = /\b(?:FROM|INTO|UPDATE|JOIN|TABLE) (item|list|member|membership|profile|contact|invitation)\b/
        let sharingTable = /\b(?:FROM|INTO|UPDATE|JOIN|TABLE) (shareable|share|claim|event|referral|reward)\b/
        let text = /"(item|member|membership|profile|contact|invitation|shareable|share|claim|referral|reward)"/
        let content = /\b(?:content|before|after|taken)(?:\(\))?\.(items|lists|members|contacts)\b/.wordBoundaryKind(
            .simple)
        let getter = /\breplica\.(items|members|contacts|profile)\(/.wordBoundaryKind(.simple)
        let patterns: [Regex<(Substring, Substring)>] = [
            constant, sharing, type, key, sharingKey, table, sharingTable, text, content, getter,
        ]
        return patterns.lazy.compactMap { line.firstMatch(of: $0)?.1 }.first.map { String($0) } ?? name(in: line)
    }

    /// The name in a line of code that has a word of one collection, at its beginning or later.
    private static func name(in line: Substring) -> String? {
        let network = /\b((?:contact|picture|profile|bot|invitation|membership)s?(?:[A-Z_]\w*)?)\b/
            .wordBoundaryKind(.simple)
        let laterNetwork = /\b(\w*(?:Contact|Picture|Profile|Bot|Invitation|Membership)s?(?:[A-Z_]\w*)?)\b/
            .wordBoundaryKind(.simple)
        let sharing = /\b((?:shareable|claim|referral|reward|programme)s?(?:[A-Z_]\w*)?)\b/.wordBoundaryKind(.simple)
        let laterSharing = /\b(\w*(?:Shareable|Claim|Referral|Reward|Programme)s?(?:[A-Z_]\w*)?)\b/
            .wordBoundaryKind(.simple)
        // The code of an error or of a rejection is the engine's.
        let codes = /\b((?:\w*Code|code)(?:s|Rules)(?:[A-Z_]\w*)?)\b/.wordBoundaryKind(.simple)
        let links = /\b(listTokens?|public[A-Z]\w*)\b/.wordBoundaryKind(.simple)
        let patterns: [Regex<(Substring, Substring)>] = [
            network, laterNetwork, sharing, laterSharing, codes, links,
        ]
        return patterns.lazy.compactMap { line.firstMatch(of: $0)?.1 }.first.map { String($0) }
    }
}
