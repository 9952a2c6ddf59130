import Foundation
import Kith
import KithAddressBook
import KithModel

/// One of the three of the third act: a person with a device, an address book, and an account.
struct Player: Sendable {
    /// Who plays, and what is theirs before the story begins.
    struct Role: Sendable {
        let who: Timeline.Who
        let given: String
        let family: String
        /// By what others can find them.
        let identity: Identity
        let book: BookSample

        /// What the folder of the device is called.
        var folder: String { "\(who)" }
        var name: String { "\(given) \(family)" }

        /// The Nowaks have each other and themselves; Zoë has Lucia too, and Lucia has only Łukasz.
        static let all = [
            Role(.zoe, "Zoë", "Nowak", "tel:+436645550101", .gmail),
            Role(.lukasz, "Łukasz", "Nowak", "tel:+436645550102", .iphone),
            Role(.lucia, "Lucia", "Moretti", "mailto:lucia.moretti@example.com", .khard),
        ].compactMap(\.self)

        private init?(_ who: Timeline.Who, _ given: String, _ family: String, _ identity: String, _ book: BookSample) {
            guard let identity = Identity(identity) else { return nil }
            (self.who, self.given, self.family, self.identity, self.book) = (who, given, family, identity, book)
        }
    }

    let role: Role
    let device: Device
    /// Where the device keeps what it has.
    let folder: URL
    let account: AccountID
    /// How many cards the address book has.
    let cards: Int
    /// Heard of the network; must end as what it shows.
    let witness: PeopleWitness

    /// A new device with a new account, an address book that has been read, and a profile that the server has.
    init(_ role: Role, _ folder: DemoFolder, _ server: URL) async throws {
        self.role = role
        self.folder = folder.people.appending(path: role.folder, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        device = try Device(server: server, storage: .directory(self.folder))
        let client = device.client
        // The numbers of the samples that say no country are Austrian, wherever this is told.
        try await client.addressBook.setRegion(Region("AT"))
        try await client.addressBook.addSource(role.book.location(in: folder.addressBooks), name: role.book.rawValue)
        cards = try await client.addressBook.loaded().reduce(0) { $0 + $1.cards.count }
        account = try await client.session.open().account
        witness = PeopleWitness(client.network)
        try await client.network.updateProfile { profile in
            (profile.given, profile.family) = (role.given, role.family)
            if let number = role.identity.number { profile.phones = [Profile.Entry(number, type: "mobile")] }
        }
        device.goOnline()
        try await device.catchUp()
    }

    var who: Timeline.Who { role.who }
    var network: Network { device.client.network }

    /// Waits until someone is to this player as `isRight` says.
    func waits(for other: Player, _ sentence: String, _ isRight: @escaping @Sendable (NetworkContact) -> Bool)
        async throws
    {
        let network = network
        try await Limit("\(role.given) \(sentence)").until {
            try await network.contact(other.account).map(isRight) ?? false
        }
    }
}

extension Identity {
    /// The number in E.164 form; nil for an email.
    fileprivate var number: String? { text.hasPrefix("tel:") ? String(text.dropFirst(4)) : nil }
}
