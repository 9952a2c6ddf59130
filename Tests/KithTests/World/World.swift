import Foundation
import KithModel

/// What the fake server knows: accounts, feeds with their records, and what it took of each device.
struct World {
    struct Feed {
        var sequence: Int64 = 0
        var time = Timestamp(milliseconds: 0)
        var roles: [AccountID: Role] = [:]
        var records: [RecordID<Never>: Entry] = [:]

        var live: [(id: RecordID<Never>, entry: Entry)] {
            records.filter { !$0.value.state.isDeleted }.map { ($0.key, $0.value) }.sorted { $0.id < $1.id }
        }

        var digest: FeedDigest {
            live.reduce(into: FeedDigest()) { $0.add($1.id, sequence: $1.entry.state.sequence) }
        }
    }

    struct Entry {
        var collection: RecordCollection
        var state: RecordState

        func change(_ id: RecordID<Never>) -> RecordChange {
            RecordChange(
                collection: collection, id: id, sequence: state.sequence, modified: state.modified,
                fields: state.isDeleted ? nil : state.fields)
        }
    }

    struct Device {
        var last: Int64 = 0
        var hashes: [Int64: String] = [:]
        var outcomes: [Int64: MutationOutcome] = [:]
    }

    /// How many records a page has.
    var page = 1_000
    var epoch = "first"
    /// Which server it is; nil as with one of an older version.
    var server: ServerID? = ServerID("01900000-0000-7000-8000-00000000000a")
    var tokens: [String: AccountID] = [:]
    /// The account behind each proved identity.
    var identities: [Identity: AccountID] = [:]
    /// Whether it tells the kind of accounts in rounds, as servers of older versions do not.
    var tellsKinds = true
    /// Whether it tells that another account has the id of a new list, as servers of older versions do not.
    var tellsTakenIDs = true
    /// The requested codes, each with its identity and the token of the session that requested it. All have the digits of
    /// ``code``.
    var codes: [CodeID: (identity: Identity, token: String)] = [:]
    static let code = "123456"
    /// Share codes that belong to other accounts.
    var takenCodes: Set<ShareCode> = []
    var feeds: [FeedID: Feed] = [:]
    var devices: [DeviceID: Device] = [:]
    private var random = SplitMix64(seed: 7)

    init(page: Int = 1_000) { self.page = page }

    /// A server of its own: other accounts, other tokens.
    init(server: ServerID?, seed: UInt64) {
        self.server = server
        random = SplitMix64(seed: seed)
    }

    // MARK: Done by hand

    mutating func openSession(at now: Timestamp) -> NewSession {
        let account = AccountID(.version7(time: now, using: &random))
        feeds[account.retyped()] = Feed(roles: [account: .owner])
        let token = "token-\(random.next())"
        tokens[token] = account
        return NewSession(account: account, token: token, server: server)
    }

    /// Lets someone into a list.
    mutating func share(_ list: ListID, with account: AccountID, as role: Role, at now: Timestamp) {
        feeds[list.retyped()]?.roles[account] = role
        write(.members, account.retyped(), ["role": .text(role.rawValue)], in: list.retyped(), at: now)
        write(.memberships, list.retyped(), ["role": .text(role.rawValue)], in: account.retyped(), at: now)
    }

    /// Takes someone out of a list.
    mutating func expel(_ account: AccountID, from list: ListID, at now: Timestamp) {
        feeds[list.retyped()]?.roles[account] = nil
        write(.members, account.retyped(), nil, in: list.retyped(), at: now)
        write(.memberships, list.retyped(), nil, in: account.retyped(), at: now)
    }

    /// Writes fields of a record, as somebody else's edit; nil deletes it.
    mutating func write(
        _ collection: RecordCollection, _ id: RecordID<Never>, _ fields: Fields?, in feed: FeedID, at now: Timestamp
    ) {
        // In its place: a copy of the feed for each record would make a large one slow.
        let sequence = (feeds[feed]?.sequence ?? 0) + 1
        let stamp = Stamp(time: now, sequence: sequence, device: -1)
        var merged = feeds[feed]?.records[id]?.state.fields ?? [:]
        for (name, value) in fields ?? [:] { merged[name] = value }
        feeds[feed, default: Feed()].sequence = sequence
        feeds[feed, default: Feed()].time = max(feeds[feed]?.time ?? now, now)
        feeds[feed, default: Feed()].records[id] = Entry(
            collection: collection,
            state: RecordState(
                fields: fields == nil ? [:] : merged, stamps: Stamps(common: stamp), sequence: sequence,
                modified: now, isDeleted: fields == nil))
    }

    func fields(_ id: RecordID<some Any>, in list: ListID) -> Fields? {
        feeds[list.retyped()]?.records[id.retyped()].flatMap { $0.state.isDeleted ? nil : $0.state.fields }
    }

    /// The live items of a list, title by title.
    func titles(in list: ListID) -> [String] {
        (feeds[list.retyped()]?.live ?? []).filter { $0.entry.collection == .items }
            .compactMap { $0.entry.state.fields["title"]?.text }.sorted()
    }

    /// Checks a code; nil if it is wrong, or another session has requested it.
    mutating func check(_ code: String, of id: CodeID, by token: String) -> ProvedIdentity? {
        guard let sent = codes[id], sent.token == token, code == Self.code, let asker = tokens[token] else {
            return nil
        }
        guard let owner = identities[sent.identity], owner != asker else {
            identities[sent.identity] = asker
            return ProvedIdentity(account: asker, identity: sent.identity, server: server)
        }
        let new = "token-\(random.next())"
        tokens[new] = owner
        return ProvedIdentity(account: owner, identity: sent.identity, token: new, server: server)
    }

    /// The kind of an account.
    func kind(of account: AccountID) -> String { identities.values.contains(account) ? "identified" : "anonymous" }

    /// Gives an account an email, as if another device had proved it.
    mutating func identify(_ account: AccountID, by email: String = "ada@example.com") {
        if let identity = Identity("mailto:\(email)") { identities[identity] = account }
    }

    // MARK: A round

    mutating func round(_ request: SyncRequest, at now: Timestamp) -> SyncAnswer {
        let standing = push(request, at: now)
        return pull(request, standing, at: now)
    }

    private mutating func push(_ request: SyncRequest, at now: Timestamp) -> DeviceStanding {
        var device = devices[request.device] ?? Device()
        defer { devices[request.device] = device }
        if device.last < request.acknowledged.number { return .forgotten }
        let claims =
            request.mutations.map { ($0.number, $0.canonical) } + [
                (request.acknowledged.number, request.acknowledged.hash)
            ]
        let differs = claims.contains { number, hash in
            !hash.isEmpty && device.hashes[number].map { $0 != hash } ?? false
        }
        if device.last > request.sent || differs { return .copied }
        let isOfThisEpoch = request.token.flatMap(Place.init).map { $0.epoch == epoch } ?? true
        for group in request.mutations.filter({ $0.number > device.last }).inGroups() {
            let judged = group.map { mutation in
                let state = isOfThisEpoch ? nil : feeds[mutation.feed]?.records[mutation.record]?.state
                return state.map { Merge.seenBeforeRestore(mutation, on: $0) } ?? mutation
            }
            for (mutation, outcome) in zip(group, take(judged, of: request.account, request.device, at: now)) {
                device.hashes[mutation.number] = mutation.canonical
                device.outcomes[mutation.number] = outcome
                device.last = mutation.number
            }
        }
        return .recognised
    }

    private mutating func pull(_ request: SyncRequest, _ standing: DeviceStanding, at now: Timestamp) -> SyncAnswer {
        let device = devices[request.device] ?? Device()
        var place = request.token.flatMap(Place.init) ?? Place(epoch: epoch)
        if place.epoch != epoch { place = Place(epoch: epoch) }
        let readable = feeds.filter { $0.value.roles[request.account] != nil }
        let lost = place.feeds.keys.filter { readable[$0] == nil }.sorted()
        for feed in lost { place.feeds[feed] = nil }
        for feed in request.reread ?? [] { place.feeds[feed] = nil }
        var changes: [FeedChanges] = []
        for (id, feed) in readable.sorted(by: { $0.key < $1.key }) {
            if let told = read(id, feed, &place) { changes.append(told) }
        }
        let outcomes = device.outcomes.values.filter { outcome in
            switch standing {
            case .recognised: outcome.result != .applied && outcome.number > request.acknowledged.number
            case .copied:
                request.mutations.contains { $0.number == outcome.number && $0.canonical == device.hashes[$0.number] }
            case .forgotten: false
            }
        }
        var named: [FeedRecord] = []
        for mutation in request.mutations where readable[mutation.feed] != nil {
            let change =
                feeds[mutation.feed]?.records[mutation.record]?.change(mutation.record)
                ?? RecordChange(
                    collection: mutation.collection, id: mutation.record, sequence: 0, modified: now, fields: nil)
            named.append(FeedRecord(feed: mutation.feed, change: change))
        }
        let kind = kind(of: request.account)
        return SyncAnswer(
            account: request.account, time: now, epoch: epoch, device: standing,
            acknowledged: Acknowledgement(number: device.last, hash: device.hashes[device.last] ?? ""),
            outcomes: outcomes.sorted { $0.number < $1.number }, records: named, feeds: changes, lost: lost,
            token: place.token, more: changes.contains { !$0.isComplete },
            kind: !tellsKinds || request.kind == nil || request.kind == kind ? nil : kind)
    }

    private func read(_ id: FeedID, _ feed: Feed, _ place: inout Place) -> FeedChanges? {
        var spot = place.feeds[id] ?? Place.Spot(sequence: feed.sequence, isPaging: true)
        defer { place.feeds[id] = spot }
        var page: RecordPage?
        if spot.isPaging {
            let rest = feed.live.filter { entry in spot.after.map { $0 < entry.id } ?? true }
            let part = rest.prefix(self.page)
            let through = part.count < rest.count ? part.last?.id : nil
            let columns = Dictionary(grouping: part, by: \.entry.collection).sorted { $0.key < $1.key }.map {
                RecordPage.Columns(collection: $0.key, records: $0.value.map { $0.entry.change($0.id) })
            }
            page = RecordPage(after: spot.after, through: through, columns: columns)
            spot.after = through
            if through != nil { return FeedChanges(feed: id, changes: [], page: page, isComplete: false) }
            spot.isPaging = false
        } else if spot.sequence == feed.sequence {
            return nil
        }
        let changes = feed.records.filter { $0.value.state.sequence > spot.sequence }
            .sorted { $0.value.state.sequence < $1.value.state.sequence }.map { $0.value.change($0.key) }
        spot.sequence = feed.sequence
        return FeedChanges(feed: id, changes: changes, page: page, isComplete: true, digest: feed.digest)
    }

    /// Takes one group whole or not at all.
    mutating func take(
        _ group: [Mutation], of account: AccountID, _ device: DeviceID, at now: Timestamp
    ) -> [MutationOutcome] {
        let before = feeds
        var outcomes: [MutationOutcome] = []
        for mutation in group {
            let outcome = take(mutation, in: group, of: account, device, at: now)
            if outcome.result == .rejected {
                feeds = before
                return group.map {
                    $0.number == mutation.number
                        ? outcome
                        : MutationOutcome(
                            number: $0.number, result: .rejected, code: .group, detail: "The group was refused.")
                }
            }
            outcomes.append(outcome)
        }
        return outcomes
    }

    private mutating func take(
        _ sent: Mutation, in group: [Mutation], of account: AccountID, _ device: DeviceID, at now: Timestamp
    ) -> MutationOutcome {
        var mutation = sent
        if sent.isCondition(of: group) { mutation.change = sent.change.withoutStatements }
        func rejected(_ code: RejectionCode, _ detail: String = "Refused.") -> MutationOutcome {
            MutationOutcome(number: mutation.number, result: .rejected, code: code, detail: detail)
        }
        let isNewList =
            feeds[mutation.feed] == nil && mutation.collection == .lists && mutation.record.uuid == mutation.feed.uuid
            && mutation.change != .delete
        var feed = feeds[mutation.feed] ?? Feed()
        guard let role = isNewList ? .owner : feed.roles[account] else {
            let isCreation =
                mutation.collection == .lists && mutation.seen == 0 && mutation.change != .delete
                && mutation.record.uuid == mutation.feed.uuid
            let wasIn = feeds[account.retyped()]?.records[mutation.record] != nil
            return rejected(isCreation && !wasIn && tellsTakenIDs ? .idTaken : .forbidden)
        }
        guard let schema = Schema.all.first(where: { $0.collection == mutation.collection }) else {
            return rejected(.invalid)
        }
        let old = feed.records[mutation.record]
        let rights = Rights(role: role, isPerson: mutation.record.uuid == account.uuid)
        if let fault = FieldRules.fault(in: mutation.change, to: schema, creating: false, by: rights) {
            return rejected(fault.code, fault.sentence)
        }
        if isTaken(mutation) { return rejected(.codeTaken, "Somebody else has this code.") }
        if mutation.collection == .memberships && mutation.change == .delete {
            if feeds[mutation.record.retyped()]?.roles[account] == .owner { return rejected(.ownerStays) }
        }
        feed.time = max(feed.time, now)
        let arrival = Stamp(
            time: feed.time, sequence: feed.sequence + 1, device: Int64(device.uuid.halves.low & 0xFFFF_FFFF))
        if sent.isCondition(of: group), let state = old?.state, !state.isDeleted,
            !Merge.isMet(sent, by: state, of: arrival.device, schema)
        {
            return rejected(.changed)
        }
        if case .edit(let set, _) = mutation.change, let stated = set[Mutation.Change.contentDigest] {
            var digest = FeedDigest()
            for (id, entry) in feed.live where entry.collection != .members {
                digest.add(id, sequence: entry.state.sequence)
            }
            if stated != .text(digest.description) { return rejected(.changed) }
        }
        switch Merge.outcome(of: mutation, on: old?.state, at: arrival, by: schema) {
        case .superseded: return MutationOutcome(number: mutation.number, result: .superseded)
        case .rejected(let code): return rejected(code)
        case .applied(var record):
            if old == nil && mutation.collection == .items { record.fields["creator"] = .text(account.description) }
            feed.sequence += 1
            feed.records[mutation.record] = Entry(collection: mutation.collection, state: record)
            feeds[mutation.feed] = feed
            if isNewList { share(mutation.record.retyped(), with: account, as: .owner, at: now) }
            if mutation.change == .delete { deleted(mutation, by: account, at: now) }
            return MutationOutcome(number: mutation.number, result: .applied)
        }
    }

    /// Whether a mutation sets the share code of somebody else.
    private func isTaken(_ mutation: Mutation) -> Bool {
        guard mutation.collection == .shareables, case .edit(let set, _) = mutation.change,
            let text = set["code"]?.text, let code = try? ShareCode(text)
        else { return false }
        return takenCodes.contains(code)
    }

    private mutating func deleted(_ mutation: Mutation, by account: AccountID, at now: Timestamp) {
        switch mutation.collection {
        case .lists:
            for person in (feeds[mutation.feed]?.roles ?? [:]).keys.sorted() {
                expel(person, from: mutation.record.retyped(), at: now)
            }
        case .memberships: expel(account, from: mutation.record.retyped(), at: now)
        case .members: expel(mutation.record.retyped(), from: mutation.feed.retyped(), at: now)
        default: break
        }
    }
}

/// How far a device has read: what the fake server's tokens say.
private struct Place: Codable {
    struct Spot: Codable {
        var sequence: Int64
        var isPaging: Bool
        var after: RecordID<Never>?
    }

    var epoch: String
    var feeds: [FeedID: Spot] = [:]

    init(epoch: String) { self.epoch = epoch }

    init?(_ token: SyncToken) {
        guard let place = try? JSONDecoder().decode(Place.self, from: Data(token.rawValue.utf8)) else { return nil }
        self = place
    }

    var token: SyncToken {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return SyncToken(rawValue: (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }
}

extension [Mutation] {
    fileprivate func inGroups() -> [[Mutation]] {
        reduce(into: []) { groups, mutation in
            if let group = mutation.group, groups.last?.first?.group == group {
                groups[groups.count - 1].append(mutation)
            } else {
                groups.append([mutation])
            }
        }
    }
}
