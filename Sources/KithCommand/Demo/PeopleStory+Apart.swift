import Foundation
import Kith
import KithModel

/// What is there without the server, and what comes when it is back.
extension PeopleStory {
    /// A picture is announced at once; its bytes come when somebody looks.
    func showPicture() async throws {
        try timeline.chapter("A picture that arrives late")
        let (small, large) = try kite()
        try await zoe.network.setPicture(small: small, large: large)
        try timeline.say(.zoe, "takes a picture for her profile: \(small.count) bytes small, \(large.count) large")
        for player in [lukasz, lucia] {
            try await player.waits(for: zoe, "hears that Zoë has a picture") { $0.picture != nil }
        }
        try timeline.say(.all, "hear that there is one; its bytes wait until they are looked at")
    }

    /// Everybody is offline: the roster is here, the picture is not, and a request waits. Then all of it comes.
    func partAndReturn() async throws {
        for player in players { await player.device.goOffline() }
        try await server.stop()
        try timeline.say(.server, "is stopped; all are offline")
        let roster = try await kith.lines(["network", "--offline", "--data", lukasz.folder.path()])
        try expect(roster.contains { $0.contains("Zoë Nowak") }, "Łukasz sees his network offline.")
        try timeline.say(.lukasz, "kith network --offline:")
        try timeline.print(roster.map { "              " + $0 })
        do {
            _ = try await lukasz.network.picture(of: zoe.account, .large)
            throw broken("A picture that was never fetched is not there offline.")
        } catch let error as KithError where error.code == .offline {
            try timeline.say(.lukasz, "looks at her picture: “\(error.sentence)”")
        }
        try expect(lukasz.witness.pictures(of: zoe.account) == 0, "Nobody was told that the picture had come.")
        try await lucia.network.connect(lukasz.account)
        let waiting = try await lucia.device.client.status().waiting
        try expect(waiting == 1, "What was asked offline waits.")
        try timeline.say(.lucia, "asks Łukasz, offline: \(waiting.things("edit")) waits")

        try await server.start()
        for player in players { player.device.goOnline() }
        try timeline.say(.server, "is started again; all are online")
        try await lukasz.waits(for: lucia, "hears of Lucia’s request") { $0.asksMe }
        try await lukasz.network.accept(lucia.account)
        try await lucia.waits(for: lukasz, "hears that Łukasz has accepted") { $0.relation == .connected }
        try timeline.say(.lukasz, "hears of Lucia’s request and accepts; they are connected")
        try await lookAtPicture()
    }

    private func lookAtPicture() async throws {
        let (small, large) = try kite()
        // Twice at the same time, and once more: it is fetched and told once.
        async let first = lukasz.network.picture(of: zoe.account, .large)
        async let second = lukasz.network.picture(of: zoe.account, .large)
        let both = try await [first, second]
        let third = try await lukasz.network.picture(of: zoe.account, .large)
        try expect(both == [large, large] && third == large, "The picture is the one that Zoë has set, to the byte.")
        try expect(try await lukasz.network.picture(of: zoe.account, .small) == small, "So is the small one.")
        let (witness, account) = (lukasz.witness, zoe.account)
        try await Limit("Łukasz is told that the picture has come").until { witness.pictures(of: account) == 2 }
        try timeline.say(
            .lukasz, "looks at her picture again: here it is in both sizes, to the byte; each was fetched and told once"
        )
    }

    /// A kite on a blue sky, in two sizes.
    private func kite() throws -> (small: Data, large: Data) {
        guard let small = Data(base64Encoded: Self.smallKite), let large = Data(base64Encoded: Self.largeKite) else {
            throw broken("The pictures can be read.")
        }
        return (small, large)
    }

    private static let smallKite =
        "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQMAAAAlPW0iAAAABlBMVEWc0/XoahcLHgsZAAAAK0lEQVR42mNgYGBgbGBgPsDA/gCE+D8wyP9g"
        + "sP8DQkAGkAsRByoAKmNgAAAtagzHe5YNawAAAABJRU5ErkJggg=="
    private static let largeKite =
        "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAABlBMVEWc0/XoahcLHgsZAAAAmklEQVR42m2SuxHEIAxE7SFwSAmU4tJwaZTi"
        + "EhwS3LA3utWssXVEL4Cnz7Is01kPh9QctvMN+XIo3WH/ONTxBsDFANUJaE/YAKozQHUB+hN2gDUqMFxM9WpwzJAMGsVUZ4NrhmLQKaa6GowZ"
        + "AK8hiHf0XMJYS22osdizxrkH1MhxG1qUVhe3qoUrgj/pKDhFqXBj7voS+iS/8wUKTMPBSzxcFgAAAABJRU5ErkJggg=="
}
