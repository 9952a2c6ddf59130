import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

/// The third act: three people find each other through their address books, connect, and see each other's changes.
struct PeopleStory: Sendable {
    let say: Narrator
    let server: Server
    let zoe, lukasz, lucia: Person
    private var all: [Person] { [zoe, lukasz, lucia] }

    init(_ say: Narrator, _ url: URL, _ folder: DemoFolder, _ server: Server) async throws {
        (self.say, self.server) = (say, server)
        try say.chapter("Each with a device, an account and an address book")
        let (books, people) = (folder.addressBooks, folder.people)
        zoe = try await Person("Zoë", "Nowak", at: url, in: people.appending(path: "zoe"))
        lukasz = try await Person("Łukasz", "Nowak", at: url, in: people.appending(path: "lukasz"))
        lucia = try await Person("Lucia", "Moretti", at: url, in: people.appending(path: "lucia"))
        try await zoe.client.addressBook.addSource(.vCardFile(books.appending(path: "gmail.vcf")))
        try await lukasz.client.addressBook.addSource(.vCardFile(books.appending(path: "iphone.vcf")))
        try await lucia.client.addressBook.addSource(.folder(books.appending(path: "khard")))
        for person in all {
            let name = try await person.network.profile().fullName ?? ""
            let contacts = try await person.client.addressBook.loaded().count
            try say(person.name, "is called \(name), and has \(contacts) contacts")
        }
    }

    /// The three find each other and connect.
    func meet() async throws {
        async let _: Void = zoe.client.run()
        async let _: Void = lukasz.client.run()
        async let _: Void = lucia.client.run()

        // No SMS provider is configured here, so the operator vouches for the numbers instead of sending codes.
        for (person, identity) in zip(all, ["+436645550101", "+436645550102", "lucia.moretti@example.com"]) {
            try say("server", try await server.admin("identity", "add", identity, "--account", "\(person.account)"))
        }

        try say.chapter("Who is here already? The server does not learn who the others are")
        for person in all {
            let start = ContinuousClock.now
            let summary = try await person.client.discovery.look()
            let found = (person.client.addressBook.contacts ?? []).filter(\.isOnService).map(\.displayName)
            let (names, time) = (found.joined(separator: ", "), start.milliseconds)
            try say(person.name, "blinds \(summary.identities) numbers and emails, and finds \(names) in \(time) ms")
        }

        try say.chapter("Connected: one asks, the others accept")
        try await zoe.client.discovery.connect(with: zoe.client.discovery.matches())
        let asked = try await zoe.network.sentRequests()
        try say(zoe.name, "asks the people that she has found: \(asked.count) requests")
        for person in [lukasz, lucia] {
            try await person.waits(for: zoe, "hears of Zoë's request") { $0.asksMe }
            try await person.network.accept(zoe.account)
            try await zoe.waits(for: person, "has accepted") { $0.relation == .connected && $0.given == person.name }
            try say(person.name, "hears of it and accepts; Zoë hears of that")
        }

        try say.chapter("A picture that arrives late")
        try await zoe.network.setPicture(small: Self.kite, large: Self.kite)
        let own = try await zoe.network.picture(.large)
        try say(zoe.name, "takes a picture for her profile: \(own?.count ?? 0) bytes")
        for person in [lukasz, lucia] {
            try await person.waits(for: zoe, "hears that Zoë has a picture") { $0.picture != nil }
            try say(person.name, "hears that there is one; its bytes wait until somebody looks at it")
        }
    }

    /// Without the server, the network is available, a picture that was never fetched is not, and a request waits.
    func apart() async throws {
        try say.chapter("Apart: the server is gone, and the network is still there")
        let names = try await lukasz.network.contacts().compactMap(\.fullName).joined(separator: ", ")
        try say(lukasz.name, "sees his network: \(names)")
        do {
            _ = try await lukasz.network.picture(of: zoe.account, .large)
            throw StoryError("A picture that was never fetched is not there offline.")
        } catch let error as KithError where error.code == .offline {
            try say(lukasz.name, "looks at her picture: “\(error.sentence)”")
        }
        try await lucia.network.connect(lukasz.account)
        let waiting = try await lucia.client.status().waiting
        try say(lucia.name, "asks Łukasz, offline: \(waiting) edit waits")
    }

    /// The server is back: the request arrives, a profile changes, and a blocked person does not notice the block.
    func keepUp() async throws {
        async let _: Void = zoe.client.run()
        async let _: Void = lukasz.client.run()
        async let _: Void = lucia.client.run()

        try say.chapter("Back: what waited arrives")
        try await lukasz.waits(for: lucia, "hears of Lucia's request") { $0.asksMe }
        try await lukasz.network.accept(lucia.account)
        try await lucia.waits(for: lukasz, "hears that Łukasz has accepted") { $0.relation == .connected }
        try say(lukasz.name, "hears of Lucia's request and accepts; they are connected")
        let picture = try await lukasz.network.picture(of: zoe.account, .large)
        try check(picture == Self.kite, "The picture is the one that Zoë has set.")
        try say(lukasz.name, "looks at Zoë's picture again: \(picture?.count ?? 0) bytes, the same as hers")

        try say.chapter("A block that nobody can tell")
        let before = try await whatLuciaSees()
        try await zoe.network.block(lucia.account)
        try await zoe.client.syncNow()
        let left = try await zoe.network.contacts().compactMap(\.fullName)
        try say(zoe.name, "blocks Lucia; her network is \(left.joined(separator: ", ")) alone")
        let after = try await whatLuciaSees()
        try check(before.contact == after.contact && before.details == after.details, "Lucia cannot tell.")
        try say(lucia.name, "asks the server, and sees of Zoë what she saw before: every field is the same")

        try say.chapter("A changed profile reaches the others")
        let start = ContinuousClock.now
        try await zoe.network.updateProfile { $0.status = "Flying kites until the wind is gone" }
        let status = try await zoe.network.profile().status
        try say(zoe.name, "writes into her profile: “\(status ?? "")”")
        for person in [lukasz, lucia] {
            try await person.waits(for: zoe, "has Zoë's new line") { $0.status == status }
            try say(person.name, "has it \(start.milliseconds) ms after she wrote it")
        }
    }

    private func whatLuciaSees() async throws -> (contact: NetworkContact?, details: Profile) {
        try await lucia.client.syncNow()
        let details = try await lucia.network.details(of: zoe.account).profile
        return (try await lucia.network.contact(zoe.account), details)
    }

    /// A kite on a blue sky, as PNG. A real app has a small picture for lists, and a large one.
    private static let kite =
        Data(
            base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQMAAAAlPW0iAAAABlBMVEWc0/XoahcLHgsZAAAAK0lEQVR42mNg"
                + "YGBgbGBgPsDA/gCE+D8wyP9gsP8DQkAGkAsRByoAKmNgAAAtagzHe5YNawAAAABJRU5ErkJggg==") ?? Data()
}
