import Foundation
import KithModel
import KithServer
import Testing

extension EditAuthorizationTests {
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
        Row(.create, .claims, "one's own", all) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: claim)
        },
        Row(.create, .claims, "in the owner's name", onlyOwner) { world, _ in
            Row.Target(feed: world.home, record: UUID(), fields: claim)
        },
        Row(.set, .claims, "one's own, what only the server knows", none) { world, caller in
            Row.Target(
                feed: try home(of: caller, world), record: try await create(.claims, claim, by: caller, in: world),
                fields: ["state": "bound"])
        },
        Row(.set, .claims, "the owner's, what only the server knows", none) { world, _ in
            Row.Target(
                feed: world.home, record: try await create(.claims, claim, by: .owner, in: world),
                fields: ["state": "bound"])
        },
        // The code of a claim does not change.
        Row(.set, .claims, "the owner's", invalidOfOwner) { world, _ in
            Row.Target(
                feed: world.home, record: try await create(.claims, claim, by: .owner, in: world),
                fields: ["code": "eve-tea"])
        },
        Row(.delete, .claims, "the owner's", none) { world, _ in
            Row.Target(feed: world.home, record: try await create(.claims, claim, by: .owner, in: world))
        },
    ]

    // The server's background job removes the record of an event. Then any edit of it begins it, and needs all fields;
    // before, no field can change.
    private static let eventRows = [
        Row(.create, .events, "one's own", all) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: event)
        },
        Row(.create, .events, "in the owner's name", onlyOwner) { world, _ in
            Row.Target(feed: world.home, record: UUID(), fields: event)
        },
        Row(.set, .events, "one's own", invalid) { world, caller in
            Row.Target(
                feed: try home(of: caller, world), record: try await create(.events, event, by: caller, in: world),
                fields: ["name": "visit"])
        },
        Row(.set, .events, "the owner's", invalidOfOwner) { world, _ in
            Row.Target(
                feed: world.home, record: try await create(.events, event, by: .owner, in: world),
                fields: ["name": "visit"])
        },
        Row(.delete, .events, "one's own", none) { world, caller in
            Row.Target(
                feed: try home(of: caller, world), record: try await create(.events, event, by: caller, in: world))
        },
        Row(.delete, .events, "the owner's", none) { world, _ in
            Row.Target(feed: world.home, record: try await create(.events, event, by: .owner, in: world))
        },
    ]

    /// The records that only the server makes. It has made those of the owner, who has brought a friend.
    private static let serverRows = [
        Row(.create, .referrals, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: referral)
        },
        Row(.create, .referrals, "in the owner's name", none) { world, _ in
            Row.Target(feed: world.home, record: UUID(), fields: referral)
        },
        Row(.set, .referrals, "the owner's", none) { world, caller in
            Row.Target(
                feed: world.home, record: try await made(.referrals, &world, caller), fields: ["state": "refused"])
        },
        Row(.delete, .referrals, "the owner's", none) { world, caller in
            Row.Target(feed: world.home, record: try await made(.referrals, &world, caller))
        },
        Row(.create, .rewards, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: reward)
        },
        Row(.create, .rewards, "in the owner's name", none) { world, _ in
            Row.Target(feed: world.home, record: UUID(), fields: reward)
        },
        Row(.set, .rewards, "the owner's", none) { world, caller in
            Row.Target(feed: world.home, record: try await made(.rewards, &world, caller), fields: ["title": "A car"])
        },
        Row(.delete, .rewards, "the owner's", none) { world, caller in
            Row.Target(feed: world.home, record: try await made(.rewards, &world, caller))
        },
    ]

    // MARK: - What the rows need

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

    /// The record of this collection that the server has made for the owner. The friend joins before the first caller.
    private static func made(
        _ collection: RecordCollection, _ world: inout AuthorizationWorld, _ caller: CallerKind
    ) async throws -> UUID {
        if caller == CallerKind.allCases.first { try await world.bringFriend() }
        return try await world.record(madeIn: collection)
    }
}
