import Foundation
import KithModel
import KithServer

extension EditAuthorizationTests {
    private static let own = ("forbidden", "forbidden", "forbidden", "notFound")
    private static let withoutProgramme = ("noProgramme", "noProgramme", "noProgramme", "noProgramme")
    private static let claim: Fields = ["code": "ada-tea", "used": 1]
    private static let event: Fields = ["programme": "friends", "name": "purchase", "occurred": 1]
    private static let shareable: Fields = ["programme": "friends", "code": "ada-tea"]
    private static let share: Fields = [
        "shareable": "018f3e5a-1b2c-7d3e-8f40-5a6b7c8d9e0f", "channel": "sheet", "shared": 1,
    ]
    private static let referral: Fields = ["programme": "friends", "basis": "code", "joined": 1]
    private static let reward: Fields = [
        "programme": "friends", "name": "voucher-5", "side": "friend", "granted": 1,
    ]

    /// The rows of sharing. The server has no programme, so nobody can begin a shareable, and nobody has one to share.
    static let sharingTable: [Row] = [
        Row(.create, .shareables, "one's own", withoutProgramme) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: shareable)
        },
        Row(.set, .shareables, "the owner's", own) { world, _ in
            Row.Target(feed: world.home, record: UUID(), fields: ["label": "Mine"])
        },
        Row(.delete, .shareables, "the owner's", ("forbidden", "forbidden", "forbidden", "superseded")) { world, _ in
            Row.Target(feed: world.home, record: UUID())
        },
        Row(.create, .shares, "of what is not there", ("notFound", "notFound", "notFound", "notFound")) {
            world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: share)
        },
        Row(.create, .shares, "in the owner's name", own) { world, _ in
            Row.Target(feed: world.home, record: UUID(), fields: share)
        },
        Row(.set, .shares, "what only the server knows", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: ["state": "sent"])
        },
        Row(.delete, .shares, "the owner's", ("forbidden", "forbidden", "forbidden", "superseded")) { world, _ in
            Row.Target(feed: world.home, record: UUID())
        },
        Row(.create, .claims, "one's own", all) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: claim)
        },
        Row(.create, .claims, "in the owner's name", onlyOwner) { world, _ in
            Row.Target(feed: world.home, record: UUID(), fields: claim)
        },
        Row(.set, .claims, "what only the server knows", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: ["state": "bound"])
        },
        Row(.delete, .claims, "the owner's", none) { world, _ in
            let id = UUID()
            try await world.edit(.claims, id, in: world.home, claim)
            return Row.Target(feed: world.home, record: id)
        },
        Row(.create, .events, "one's own", all) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: event)
        },
        Row(.create, .events, "in the owner's name", onlyOwner) { world, _ in
            Row.Target(feed: world.home, record: UUID(), fields: event)
        },
        // Any edit of an event begins it, so it needs all fields.
        Row(.set, .events, "one's own", ("invalid", "invalid", "invalid", "invalid")) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: ["name": "visit"])
        },
        Row(.delete, .events, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID())
        },
        Row(.create, .referrals, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: referral)
        },
        Row(.set, .referrals, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: ["state": "granted"])
        },
        Row(.delete, .referrals, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID())
        },
        Row(.create, .rewards, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: reward)
        },
        Row(.set, .rewards, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID(), fields: ["title": "A car"])
        },
        Row(.delete, .rewards, "one's own", none) { world, caller in
            Row.Target(feed: try home(of: caller, world), record: UUID())
        },
    ]
}
