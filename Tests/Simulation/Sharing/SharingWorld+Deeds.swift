import Foundation
import Kith
import KithModel
import KithServer

/// What people do when they share.
extension SharingWorld {
    /// The codes that people choose. Some of them are equal.
    private static let words = ["TEA-TIME", "tea_time", "ADA-TEA", "Green-Tea", "0OLONG", "oolong", "BEST-TEA"]

    // MARK: Links and codes

    func makeShareable(_ device: AccountsDevice) async throws {
        let key = random.oneIn(3) ? "recipe" : nil
        guard let programme = Self.programmes.randomElement(using: &random) else { return }
        try await call(device, "takes its link in \(programme)\(key.map { ", for a \($0)" } ?? "")") {
            try await device.client.sharing.shareable(in: programme, key: key)
        }
    }

    func chooseCode(_ person: SharingPerson, _ device: AccountsDevice) async throws {
        let sharing = device.client.sharing
        guard let shareable = try await sharing.shareables().randomElement(using: &random),
            let word = Self.words.randomElement(using: &random)
        else { return try await makeShareable(device) }
        if random.oneIn(10) {
            try await call(device, "removes the link \(shareable.code)") { try await sharing.remove(shareable.id) }
        } else {
            try await call(device, "chooses \(word) instead of \(shareable.code)") {
                try await sharing.setCode(word, of: shareable.id)
            }
        }
    }

    /// Shares with a sheet or an email, perhaps with somebody whose email is known.
    func share(_ person: SharingPerson, _ device: AccountsDevice) async throws {
        let sharing = device.client.sharing
        guard let shareable = try await sharing.shareables().randomElement(using: &random) else {
            return try await makeShareable(device)
        }
        guard let name = Self.names.randomElement(using: &random),
            let recipient = Identity("mailto:" + SharingPerson.email(of: name, random.oneIn(3) ? 1 : 0))
        else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try await call(device, "shares \(shareable.code)") { try await sharing.share(shareable.id, by: .sheet) }
        case 1...2:
            auditor.shares(with: recipient, person.account)
            try await call(device, "shares \(shareable.code) with \(recipient.shown)") {
                try await sharing.share(shareable.id, by: .sheet, to: recipient)
            }
        default:
            auditor.shares(with: recipient, person.account)
            auditor.orders(emailTo: recipient)
            try await call(device, "shares \(shareable.code) by an email to \(recipient.shown)") {
                try await sharing.email(shareable.id, to: recipient)
            }
        }
    }

    /// Uses a code that somebody has or has had, in another spelling, or one that nobody has.
    func useCode(_ person: SharingPerson, _ device: AccountsDevice) async throws {
        let known = auditor.wanted.keys.sorted()
        let key = random.oneIn(12) ? "N0B0DY" : known.randomElement(using: &random) ?? "N0B0DY"
        let typed = random.oneIn(2) ? key.lowercased() : "https://0.example/s/\(key)?c=message"
        auditor.uses(key, person.account)
        try await call(device, "uses \(typed)") { try await device.client.sharing.use(code: typed) }
    }

    /// Records an order, some of them again, or an event that nothing rewards.
    func recordEvent(_ person: SharingPerson, _ device: AccountsDevice) async throws {
        let number = Int.random(in: 0..<3, using: &random)
        let name = random.oneIn(5) ? "visit" : "order"
        let id = SharingEventID(stable: "\(person.account) \(name) \(number)", in: "com.example.shop")
        try await call(device, "records “\(name)” \(number)") {
            try await device.client.sharing.record(event: name, in: "shop", id: id)
        }
    }

    // MARK: New accounts

    /// The operator deletes the account of a person, who opens a new one.
    func delete(_ person: SharingPerson) async throws {
        try internet.delete(person.account, on: 0)
        auditor.deletes(person.account)
        note("\(person.name): the account is deleted")
        try await withoutHazards {
            for device in person.devices {
                _ = try? await device.client.syncNow()
                requested[device.index] = nil
                // An anonymous account is replaced, and what was not sent goes on with the next one.
                if let fault = auditor.fault(in: try await SharingLook(device)) {
                    throw fail("\(device.name), after the account was deleted: \(fault)")
                }
            }
            person.changes(to: try await openAccount(on: person.devices, called: person.name))
        }
    }

    /// A person logs out on all devices, and somebody goes on with a new account. It must show nothing of the old one.
    func logOut(_ person: SharingPerson) async throws {
        try await withoutHazards {
            for device in person.devices {
                _ = try await device.client.session.logOut()
                requested[device.index] = nil
                try await judgeEmpty(device, "after the log-out")
            }
            note("\(person.name): logs out of \(person.account)")
            person.changes(to: try await openAccount(on: person.devices, called: person.name))
            for device in person.devices { try await judgeEmpty(device, "with a new account") }
        }
    }

    private func judgeEmpty(_ device: AccountsDevice, _ time: String) async throws {
        let look = try await SharingLook(device)
        let count = look.made.count + look.given.count
        if count > 0 { throw fail("\(device.name): \(time), it shows \(count) records of the previous user") }
    }
}
