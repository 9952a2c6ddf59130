import Foundation
import Kith
import KithModel

/// What others notice of a person, and what they do not.
extension PeopleStory {
    /// Zoë blocks Lucia, who sees what she saw, to the byte.
    func block() async throws {
        try timeline.chapter("A block that nobody can tell")
        await zoe.device.goOffline()
        let (network, account) = (lucia.network, zoe.account)
        try await Limit("Lucia sees that Zoë is offline").until {
            try await network.currentPresence(of: account).state == .offline
        }
        await lucia.device.goOffline()
        let before = try await whatLuciaSees()
        try timeline.say(.lucia, "kith network, and kith network show “Zoë Nowak”: \(before.utf8.count) bytes of JSON")

        try await zoe.network.block(lucia.account)
        try await zoe.device.client.syncNow()
        let (shown, blocked) = (try await zoe.network.contacts(), try await zoe.network.blocked())
        try expect(
            shown.map(\.id) == [lukasz.account] && blocked.map(\.id) == [lucia.account],
            "Zoë's network is without Lucia.")
        try timeline.say(.zoe, "blocks Lucia; the server knows it, and Zoë’s network is Łukasz alone")

        let after = try await whatLuciaSees()
        if before != after {
            throw Failure(
                .failed, "demo", "Lucia can tell that she is blocked; what she saw before and after:",
                candidates: [before, after])
        }
        try timeline.say(.lucia, "asks the server once more, and the same again: equal, all \(after.utf8.count) bytes")
    }

    /// What two commands say to Lucia, after a round with the server.
    private func whatLuciaSees() async throws -> String {
        try await lucia.device.client.syncNow()
        let place = ["--json", "--server", server.url.absoluteString, "--data", lucia.folder.path()]
        let roster = try await kith.lines(["network"] + place)
        let person = try await kith.lines(["network", "show", zoe.account.description] + place)
        try expect(person.contains { $0.contains("Zoë") }, "Lucia sees Zoë.")
        return (roster + person).joined(separator: "\n")
    }

    /// A changed profile reaches everybody who has the person, also who is blocked.
    func changeProfile() async throws {
        try timeline.chapter("A changed profile reaches the others")
        for player in [zoe, lucia] { player.device.goOnline() }
        let status = "Flying kites until the wind is gone"
        let start = ContinuousClock.now
        try await zoe.network.updateProfile { profile in
            profile.status = status
            profile.company = "Kite & Co."
        }
        try timeline.say(.zoe, "writes into her profile: “\(status)”")
        for player in [lukasz, lucia] {
            try await player.waits(for: zoe, "has Zoë’s new line") {
                $0.status == status && $0.company == "Kite & Co."
            }
            let note = player.who == .lucia ? "; who is blocked hears as ever, and so cannot tell" : ""
            try timeline.say(player.who, "has it \(start.milliseconds) ms after she wrote it\(note)")
        }
    }

    /// Compares each device with a fresh start of the same account, and ends badly unless both are the same.
    func compare() async throws {
        try timeline.chapter("The end: each device, and a fresh start of the same account")
        for player in players {
            let client = player.device.client
            try await player.device.catchUp()
            let (waiting, refused) = (try await client.status().waiting, try await client.rejections().count)
            try expect(waiting == 0 && refused == 0, "Nothing of \(player.role.given) is waiting, nothing was refused.")
            guard let token = try await client.session.token() else { throw broken("The device keeps its token.") }
            let fresh = try Device(server: server.url, storage: .inMemory)
            _ = try await fresh.client.session.activate(token: token)
            try await fresh.catchUp()
            let (here, there) = (try await picture(of: client), try await picture(of: fresh.client))
            try timeline.say(player.who, try here.verdict(besides: there))
            for contact in try await client.network.contacts(in: .everyone) {
                let details = try await client.network.details(of: contact.id)
                try expect(
                    try await fresh.client.network.details(of: contact.id) == details && details.isComplete,
                    "What \(player.role.given) knows in detail is equal too.")
            }
            let heard = try await player.witness.finish(like: client.network)
            try expect(heard > 0, "\(player.role.given) was told of changes.")
            if player.who == .lukasz {
                try expect(player.witness.pictures(of: zoe.account) == 2, "Each picture that came was told once.")
            }
            try timeline.say(player.who, "what was heard in \(heard.things("change")) adds up to what is shown")
        }
        for player in players { await player.device.goOffline() }
        try timeline.say(.all, "three people, and what each of them has of the others, are equal in the end")
    }

    private func picture(of client: KithClient) async throws -> PeoplePicture {
        PeoplePicture(try await client.network.profile(), try await client.network.contacts(in: .everyone))
    }
}
