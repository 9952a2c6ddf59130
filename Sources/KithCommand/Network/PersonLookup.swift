import ArgumentParser
import Foundation
import Kith
import KithModel

/// The person that a command is about.
struct PersonArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The person: the name or the start of it, an account id, its start or its end.", valueName: "person"),
        completion: .custom(PersonNames.complete))
    var person: String
}

/// The names of those that this device knows, for a shell that completes a word.
enum PersonNames {
    static func complete(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        guard let client = ListNames.client(words), let people = try? await client.network.contacts(in: .everyone)
        else {
            return []
        }
        return people.compactMap { $0.fullName?.printable }
    }
}

/// From what a person types to who is meant.
extension Desk {
    /// Who is called `text`: among everyone that I have to do with; if nobody is, among those whom discovery has found, by
    /// their names in the address book. A whole account id may be anybody's.
    func person(_ text: String) async throws -> Nameable<AccountID> {
        let network = try await client.network.contacts(in: .everyone)
        if let id = AccountID(text.lowercased()) {
            return network.first { $0.id == id }?.nameable() ?? Nameable(id: id, name: nil)
        }
        var names = network.map { $0.nameable() }
        if Reference(text).fitting(among: names).isEmpty { names = try await namesInBook(besides: network) }
        do {
            return try Reference(text).resolve(among: names, kind: "person")
        } catch let failure as Failure where failure.code == "notFound" && failure.candidates.isEmpty {
            throw Failure(
                failure.status, failure.code,
                "Nobody you have to do with is called “\(text)”. Somebody new is named by the whole account id, which "
                    + "“kith profile” shows them; or look for the name: kith network search --directory \(text.shellWord)"
            )
        }
    }

    /// Those of the network and those who were found on the service, with the names that the address book has for them.
    private func namesInBook(besides network: [NetworkContact]) async throws -> [Nameable<AccountID>] {
        let accounts = Dictionary(try await client.discovery.matches().map { ($0.identity, $0.account) }) { $1 }
        var names: [AccountID: [String]] = [:]
        for contact in accounts.isEmpty ? [] : try await loadContacts() {
            for account in Set(contact.identities.compactMap { accounts[$0] }) {
                names[account, default: []].append(contact.displayName)
            }
        }
        let strangers = Set(accounts.values).subtracting(network.map(\.id)).sorted()
        return network.map { $0.nameable(alsoCalled: names[$0.id] ?? []) }
            + strangers.map { Nameable(id: $0, name: names[$0]?.first, otherNames: names[$0] ?? []) }
    }

    /// What a command answers that does something about someone.
    func answer(
        about person: Nameable<AccountID>, doing deed: () async throws -> Void,
        _ sentence: (String, NetworkContact?) -> String
    ) async throws -> Answer {
        try await deed()
        let contact = try await client.network.contact(person.id)
        let name = person.name ?? "account \(person.id.short)"
        return Answer(
            .object(["account": .text(person.id.description), "contact": contact?.json() ?? .null]),
            sentence(name, contact))
    }
}

extension NetworkContact {
    fileprivate func nameable(alsoCalled names: [String] = []) -> Nameable<AccountID> {
        let turned = [family, given].compactMap(\.self).joined(separator: " ")
        return Nameable(
            id: id, name: fullName ?? names.first, otherNames: ([turned, nick ?? ""] + names).filter { !$0.isEmpty },
            distinction: company)
    }
}

/// A moment in the time of whoever types it: `2026-12-24T08:00`, `2026-12-24 08:00`, `2026-12-24`.
struct Moment: Hashable, Sendable, ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        if let date = try? Date(argument, strategy: .iso8601) {
            self.date = date
            return
        }
        let form = #/(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?/#
        guard let match = argument.wholeMatch(of: form) else { return nil }
        let (_, year, month, day, hour, minute, second) = match.output
        var parts = DateComponents()
        (parts.year, parts.month, parts.day) = (Int(year), Int(month), Int(day))
        (parts.hour, parts.minute, parts.second) = (
            hour.flatMap { Int($0) }, minute.flatMap { Int($0) }, second.flatMap { Int($0) }
        )
        guard parts.isValidDate(in: .current), let date = Calendar.current.date(from: parts) else { return nil }
        self.date = date
    }
}
