import Foundation
import KithModel
import KithServer
import Testing

/// Tries the edits that `sync` carries: every collection, every kind of change and every kind of caller, against one table.
@Suite("Who may edit what") struct EditAuthorizationTests {
    /// A kind of change of a record.
    enum Kind: String, CaseIterable, Sendable { case create, set, delete }

    /// One row of the table: an edit, and its outcome for each kind of caller.
    struct Row: Sendable, CustomTestStringConvertible {
        /// What a caller changes.
        struct Target: Sendable {
            var feed: ListID
            var record: UUID
            var fields: Fields = [:]
        }

        typealias Preparation = @Sendable (inout AuthorizationWorld, CallerKind) async throws -> Target

        let collection: RecordCollection
        let kind: Kind
        let what: String
        /// The outcomes of callers with a session: of those without access to the list, of a viewer, an editor, the owner.
        let outcomes: (outsider: String, viewer: String, editor: String, owner: String)
        /// Callers with another outcome.
        let exceptions: [CallerKind: String]
        /// Prepares what a caller changes. The owner's records exist.
        let target: Preparation

        init(
            _ kind: Kind, _ collection: RecordCollection, _ what: String,
            _ outcomes: (outsider: String, viewer: String, editor: String, owner: String),
            _ exceptions: [CallerKind: String] = [:], on target: @escaping Preparation
        ) {
            (self.kind, self.collection, self.what, self.outcomes) = (kind, collection, what, outcomes)
            (self.exceptions, self.target) = (exceptions, target)
        }

        var testDescription: String { "\(kind) \(collection.rawValue): \(what)" }

        func outcome(for caller: CallerKind) -> String {
            if let exception = exceptions[caller] { return exception }
            return switch caller {
            case .nobody, .unknown, .loggedOut, .operator: "401"
            case .anonymous, .stranger, .blocked, .formerMember: outcomes.outsider
            case .viewer: outcomes.viewer
            case .editor: outcomes.editor
            case .owner: outcomes.owner
            }
        }
    }

    static let all = ("applied", "applied", "applied", "applied")
    static let none = ("forbidden", "forbidden", "forbidden", "forbidden")
    private static let editors = ("forbidden", "forbidden", "applied", "applied")
    static let onlyOwner = ("forbidden", "forbidden", "forbidden", "applied")
    /// The edits of a person in the list, which another person cannot make.
    private static let members = ("forbidden", "applied", "applied", "applied")
    /// Those that end a role, which the owner cannot do to themselves.
    private static let ending = ("forbidden", "forbidden", "forbidden", "ownerStays")

    private static let item: Fields = ["title": "Milk", "position": "a0"]

    private static let table = [
        Row(.create, .lists, "one's own", all) { _, _ in
            let list = ListID(UUID())
            return Row.Target(feed: list, record: list.uuid, fields: ["name": "Mine"])
        },
        Row(
            .create, .lists, "under the id of the owner's list", ("idTaken", "forbidden", "applied", "applied"),
            [.formerMember: "forbidden"]
        ) { world, _ in
            Row.Target(feed: world.list, record: world.list.uuid, fields: ["name": "Mine"])
        },
        Row(.set, .lists, "the name", editors) { world, _ in
            Row.Target(feed: world.list, record: world.list.uuid, fields: ["name": "Other"])
        },
        Row(.delete, .lists, "the owner's", onlyOwner) { world, _ in
            Row.Target(feed: world.list, record: world.list.uuid)
        },
        Row(.create, .items, "in the list", editors) { world, _ in
            Row.Target(feed: world.list, record: UUID(), fields: item)
        },
        Row(.set, .items, "of the list", editors) { world, _ in
            Row.Target(feed: world.list, record: try await newItem(&world), fields: ["ticked": true])
        },
        Row(.set, .items, "the creator", none) { world, _ in
            let creator = FieldValue.text(UUID().uuidString.lowercased())
            return Row.Target(feed: world.list, record: try await newItem(&world), fields: ["creator": creator])
        },
        Row(.delete, .items, "of the list", editors) { world, _ in
            Row.Target(feed: world.list, record: try await newItem(&world))
        },
        Row(.create, .members, "somebody who is not in the list", none) { world, _ in
            let person = try await world.server.newSession().account
            return Row.Target(feed: world.list, record: person.uuid, fields: ["role": "viewer"])
        },
        Row(.create, .members, "oneself as an editor", ending) { world, caller in
            Row.Target(feed: world.list, record: try uuid(of: caller, world), fields: ["role": "editor"])
        },
        Row(.set, .members, "one's own name", members) { world, caller in
            Row.Target(feed: world.list, record: try uuid(of: caller, world), fields: ["name": "Me"])
        },
        Row(.set, .members, "another's name", none) { world, _ in
            Row.Target(feed: world.list, record: try await newMember(world), fields: ["name": "You"])
        },
        Row(.set, .members, "another's role", onlyOwner) { world, _ in
            Row.Target(feed: world.list, record: try await newMember(world), fields: ["role": "editor"])
        },
        Row(.delete, .members, "another", onlyOwner) { world, _ in
            Row.Target(feed: world.list, record: try await newMember(world))
        },
        // A person leaves by the record in their own feed.
        Row(.delete, .members, "oneself", ending) { world, caller in
            Row.Target(feed: world.list, record: try uuid(of: caller, world))
        },
        Row(.create, .memberships, "of a list that one is not in", none, on: newRecord(["role": "editor"])),
        Row(
            .set, .memberships, "one's own order", ("notFound", "applied", "applied", "applied"),
            [.formerMember: "deleted"]
        ) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: world.list.uuid, fields: ["position": "a1"])
        },
        Row(.set, .memberships, "one's own role", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: world.list.uuid, fields: ["role": "owner"])
        },
        Row(.set, .memberships, "the owner's order", onlyOwner) { world, _ in
            Row.Target(feed: world.home, record: world.list.uuid, fields: ["position": "a1"])
        },
        Row(.delete, .memberships, "the owner's", ending) { world, _ in
            Row.Target(feed: world.home, record: world.list.uuid)
        },
        Row(.delete, .memberships, "one's own", ("superseded", "applied", "applied", "ownerStays")) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: world.list.uuid)
        },
        Row(.create, .profiles, "one's own", all) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: Profile.id.uuid, fields: ["given": "Me"])
        },
        Row(.set, .profiles, "the owner's", onlyOwner) { world, _ in
            try await world.edit(.profiles, Profile.id.uuid, in: world.home, ["given": "Ada"])
            return Row.Target(feed: world.home, record: Profile.id.uuid, fields: ["given": "Eve"])
        },
        Row(.delete, .profiles, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: Profile.id.uuid)
        },
        // The blocked person gets the same answer. The editor's device does not know that the two are connected.
        Row(.create, .contacts, "a request to the owner", ("applied", "applied", "applied", "yourself")) {
            world, caller in
            Row.Target(
                feed: try home(of: caller, world), record: world.owner.session.account.uuid,
                fields: ["wish": "connect"])
        },
        Row(.create, .contacts, "a request in the owner's name", onlyOwner) { world, _ in
            let person = try await world.server.newSession().account
            return Row.Target(feed: world.home, record: person.uuid, fields: ["wish": "connect"])
        },
        Row(.set, .contacts, "the owner's block", onlyOwner) { world, _ in
            Row.Target(feed: world.home, record: try world.account(.blocked).uuid, fields: ["isBlocked": false])
        },
        Row(.set, .contacts, "what only the server knows", none) { world, caller in
            Row.Target(
                feed: try home(of: caller, world), record: try world.account(.blocked).uuid, fields: ["given": "Eve"])
        },
        Row(.delete, .contacts, "the owner's", none) { world, _ in
            Row.Target(feed: world.home, record: try world.account(.blocked).uuid)
        },
        Row(.create, .invitations, "to connect", all, on: newRecord(invitation(.connect))),
        Row(.create, .invitations, "to the list", onlyOwner) { world, caller in
            Row.Target(
                feed: try home(of: caller, world), record: UUID(), fields: invitation(.list(world.list, .viewer)))
        },
        Row(.create, .invitations, "in the owner's name", onlyOwner, on: newRecord(invitation(.join), of: .owner)),
        Row(.set, .invitations, "the owner's", onlyOwner) { world, _ in
            Row.Target(feed: world.home, record: try await world.invite(.connect).id, fields: ["isRevoked": true])
        },
        Row(.delete, .invitations, "the owner's", onlyOwner) { world, _ in
            Row.Target(feed: world.home, record: try await world.invite(.connect).id)
        },
    ]

    private static func invitation(_ purpose: Invitation.Purpose) -> Fields {
        let fields: Fields = ["recipient": "mailto:guest@example.com", "delivery": "device"]
        return fields.merging(purpose.fields) { $1 }
    }

    static func uuid(of caller: CallerKind, _ world: AuthorizationWorld) throws -> UUID {
        try world.account(caller.isSignedIn ? caller : .owner).uuid
    }

    static func home(of caller: CallerKind, _ world: AuthorizationWorld) throws -> ListID {
        ListID(try uuid(of: caller, world))
    }

    /// A new item of the list.
    private static func newItem(_ world: inout AuthorizationWorld) async throws -> UUID {
        let id = UUID()
        try await world.edit(.items, id, in: world.list, item)
        return id
    }

    /// A new viewer of the list.
    private static func newMember(_ world: AuthorizationWorld) async throws -> UUID {
        let session = try await world.server.newSession()
        try await world.join(session, as: .viewer)
        return session.account.uuid
    }

    /// The outcome of a caller's edit; the status if the answer is no outcome.
    private func outcome(of row: Row, for caller: CallerKind, in world: inout AuthorizationWorld) async throws -> String
    {
        let target = try await row.target(&world, caller)
        let device = TestDevice(try world.session(caller.isSignedIn ? caller : .owner))
        let mutation = Mutation(
            id: MutationID(UUID()), number: 1, feed: target.feed.retyped(), collection: row.collection,
            record: RecordID(target.record), seen: row.kind == .create ? 0 : 1,
            change: row.kind == .delete ? .delete : .set(target.fields))
        let reply = try await world.server.ask(
            "POST", "/v1/sync", token: world.tokens[caller], json: device.request([mutation]))
        guard reply.status == 200 else { return "\(reply.status)" }
        let answer: SyncAnswer = try reply.decoded()
        return answer.outcomes.first.map { $0.code?.rawValue ?? $0.result.rawValue } ?? "applied"
    }

    @Test("Each edit has the outcome that the table says, for each kind of caller", arguments: table + sharingTable)
    func edits(row: Row) async throws {
        try await AuthorizationWorld.run { world in
            for caller in CallerKind.allCases {
                let outcome = try await outcome(of: row, for: caller, in: &world)
                #expect(outcome == row.outcome(for: caller), "\(caller)")
            }
        }
    }

    @Test("Every collection has a row for each kind of change") func complete() {
        let rows = Set((Self.table + Self.sharingTable).map { "\($0.kind) \($0.collection.rawValue)" })
        let wanted = Collections.standard.all.flatMap { rules in
            Kind.allCases.map { "\($0) \(rules.schema.collection.rawValue)" }
        }
        #expect(rows == Set(wanted))
    }

    /// The edits that only the owner may make, and that break a rule.
    private static let invalidOfOwner = ("forbidden", "forbidden", "forbidden", "invalid")
    private static let invalid = ("invalid", "invalid", "invalid", "invalid")
    /// The edits that need a code of the owner.
    private static let codeOfOwner = ("codeTaken", "codeTaken", "codeTaken", "applied")

    private static let claim: Fields = ["code": "bea-tea", "used": 1]
    private static let event: Fields = ["programme": "friends", "name": "purchase", "occurred": 1]
    private static let referral: Fields = ["programme": "friends", "basis": "code", "joined": 1]
    private static let reward: Fields = [
        "programme": "friends", "name": "voucher-5", "side": "friend", "granted": 1,
    ]

    /// The rows of sharing. Everybody shares in the programme of the server.
    static let sharingTable = shareableRows + shareRows + claimRows + eventRows + serverRows

    private static let shareableRows = [
        Row(.create, .shareables, "one's own", all) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: shareable(ownCode(caller)))
        },
        Row(.create, .shareables, "in the owner's name", onlyOwner) { world, caller in
            Row.Target(feed: world.home, record: UUID(), fields: shareable(ownCode(caller)))
        },
        Row(.create, .shareables, "one's own, with a code of the owner", codeOfOwner) { world, caller in
            _ = try await newShareable(&world, caller)
            return Row.Target(
                feed: try home(of: caller, world), record: UUID(), fields: shareable(ownersCode(caller)))
        },
        Row(.set, .shareables, "the owner's", onlyOwner) { world, caller in
            Row.Target(feed: world.home, record: try await newShareable(&world, caller), fields: ["label": "Mine"])
        },
        Row(.set, .shareables, "the owner's code", onlyOwner) { world, caller in
            let code = FieldValue.text(ownCode(caller))
            return Row.Target(feed: world.home, record: try await newShareable(&world, caller), fields: ["code": code])
        },
        Row(.set, .shareables, "one's own code, to a code of the owner", codeOfOwner) { world, caller in
            _ = try await newShareable(&world, caller)
            let own = try await create(.shareables, shareable(ownCode(caller)), by: caller, in: world)
            return Row.Target(
                feed: try home(of: caller, world), record: own, fields: ["code": .text(ownersCode(caller))])
        },
        Row(.delete, .shareables, "the owner's", onlyOwner) { world, caller in
            Row.Target(feed: world.home, record: try await newShareable(&world, caller))
        },
    ]

    private static let shareRows = [
        Row(.create, .shares, "of what is one's own", all) { world, caller in
            let own = try await create(.shareables, shareable(ownCode(caller)), by: caller, in: world)
            return Row.Target(feed: try home(of: caller, world), record: UUID(), fields: share(of: own))
        },
        Row(.create, .shares, "of what is the owner's", ("notFound", "notFound", "notFound", "applied")) {
            world, caller in
            let owners = try await newShareable(&world, caller)
            return Row.Target(feed: try home(of: caller, world), record: UUID(), fields: share(of: owners))
        },
        Row(.create, .shares, "in the owner's name", onlyOwner) { world, caller in
            let owners = try await newShareable(&world, caller)
            return Row.Target(feed: world.home, record: UUID(), fields: share(of: owners))
        },
        Row(.set, .shares, "one's own, what only the server knows", none) { world, caller in
            let own = try await create(.shareables, shareable(ownCode(caller)), by: caller, in: world)
            return Row.Target(
                feed: try home(of: caller, world),
                record: try await create(.shares, share(of: own), by: caller, in: world), fields: ["state": "sent"])
        },
        Row(.set, .shares, "the owner's, what only the server knows", none) { world, caller in
            Row.Target(feed: world.home, record: try await newShare(&world, caller), fields: ["state": "sent"])
        },
        // A share does not change.
        Row(.set, .shares, "the owner's", invalidOfOwner) { world, caller in
            Row.Target(feed: world.home, record: try await newShare(&world, caller), fields: ["channel": "link"])
        },
        Row(.delete, .shares, "the owner's", onlyOwner) { world, caller in
            Row.Target(feed: world.home, record: try await newShare(&world, caller))
        },
    ]

    private static let claimRows = [
        Row(.create, .claims, "one's own", all, on: newRecord(claim)),
        Row(.create, .claims, "in the owner's name", onlyOwner, on: newRecord(claim, of: .owner)),
        Row(
            .set, .claims, "one's own, what only the server knows", none,
            on: storedRecord(.claims, claim, set: ["state": "bound"])),
        Row(
            .set, .claims, "the owner's, what only the server knows", none,
            on: storedRecord(.claims, claim, of: .owner, set: ["state": "bound"])),
        // The code of a claim does not change.
        Row(
            .set, .claims, "the owner's", invalidOfOwner,
            on: storedRecord(.claims, claim, of: .owner, set: ["code": "eve-tea"])),
        Row(.delete, .claims, "the owner's", none, on: storedRecord(.claims, claim, of: .owner)),
    ]

    // The server's background job removes the record of an event. Then any edit of it begins it, and needs all fields;
    // before, no field can change.
    private static let eventRows = [
        Row(.create, .events, "one's own", all, on: newRecord(event)),
        Row(.create, .events, "in the owner's name", onlyOwner, on: newRecord(event, of: .owner)),
        Row(.set, .events, "one's own", invalid, on: storedRecord(.events, event, set: ["name": "visit"])),
        Row(
            .set, .events, "the owner's", invalidOfOwner,
            on: storedRecord(.events, event, of: .owner, set: ["name": "visit"])),
        Row(.delete, .events, "one's own", none, on: storedRecord(.events, event)),
        Row(.delete, .events, "the owner's", none, on: storedRecord(.events, event, of: .owner)),
    ]

    /// The records that only the server makes. It has made those of the owner, who has brought a friend.
    private static let serverRows = [
        Row(.create, .referrals, "one's own", none, on: newRecord(referral)),
        Row(.create, .referrals, "in the owner's name", none, on: newRecord(referral, of: .owner)),
        Row(.set, .referrals, "the owner's", none, on: madeRecord(.referrals, set: ["state": "refused"])),
        Row(.delete, .referrals, "the owner's", none, on: madeRecord(.referrals)),
        Row(.create, .rewards, "one's own", none, on: newRecord(reward)),
        Row(.create, .rewards, "in the owner's name", none, on: newRecord(reward, of: .owner)),
        Row(.set, .rewards, "the owner's", none, on: madeRecord(.rewards, set: ["title": "A car"])),
        Row(.delete, .rewards, "the owner's", none, on: madeRecord(.rewards)),
    ]

    // MARK: - What the rows need

    /// A record that does not exist yet, in the feed of a person; in that of the caller if no person is named.
    private static func newRecord(_ fields: Fields, of person: CallerKind? = nil) -> Row.Preparation {
        { world, caller in
            Row.Target(feed: try home(of: person ?? caller, world), record: UUID(), fields: fields)
        }
    }

    /// A record that exists, in the feed of a person; in that of the caller if no person is named.
    private static func storedRecord(
        _ collection: RecordCollection, _ stored: Fields, of person: CallerKind? = nil, set fields: Fields = [:]
    ) -> Row.Preparation {
        { world, caller in
            let holder = person ?? caller
            let record = try await create(collection, stored, by: holder, in: world)
            return Row.Target(feed: try home(of: holder, world), record: record, fields: fields)
        }
    }

    /// The record of this collection that the server has made for the owner. The friend joins before the first caller.
    private static func madeRecord(_ collection: RecordCollection, set fields: Fields = [:]) -> Row.Preparation {
        { world, caller in
            if caller == CallerKind.allCases.first { try await world.bringFriend() }
            return Row.Target(feed: world.home, record: try await world.record(madeIn: collection), fields: fields)
        }
    }

    /// A code that the owner has while a caller tries an edit. Each caller needs another one, because codes stay taken.
    private static func ownersCode(_ caller: CallerKind) -> String { "ADA-\(caller.rawValue)-TEA" }

    /// The code that a caller chooses.
    private static func ownCode(_ caller: CallerKind) -> String { "EVE-\(caller.rawValue)-TEA" }

    private static func shareable(_ code: String) -> Fields { ["programme": "friends", "code": .text(code)] }

    private static func share(of shareable: UUID) -> Fields {
        ["shareable": .text(ShareableID(shareable).description), "channel": "sheet", "shared": 1]
    }

    /// A new shareable of the owner, with ``ownersCode(_:)``.
    private static func newShareable(_ world: inout AuthorizationWorld, _ caller: CallerKind) async throws -> UUID {
        let id = UUID()
        try await world.edit(.shareables, id, in: world.home, shareable(ownersCode(caller)))
        return id
    }

    /// A new share of the owner, by a sheet.
    private static func newShare(_ world: inout AuthorizationWorld, _ caller: CallerKind) async throws -> UUID {
        let id = UUID()
        let fields = share(of: try await newShareable(&world, caller))
        try await world.edit(.shares, id, in: world.home, fields)
        return id
    }

    /// A new record in the feed of a caller, made on another device; in that of the owner for a caller without a session.
    private static func create(
        _ collection: RecordCollection, _ fields: Fields, by caller: CallerKind, in world: AuthorizationWorld
    ) async throws -> UUID {
        let id = UUID()
        var device = TestDevice(try world.session(caller.isSignedIn ? caller : .owner))
        let mutation = device.mutation(1, collection, id, in: device.session.account.retyped(), set: fields)
        let outcomes = try await device.sync([mutation], with: world.server).outcomes
        try #require(outcomes.isEmpty, "\(outcomes)")
        return id
    }
}
