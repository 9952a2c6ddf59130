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
    /// The account called `text`, among everyone that I have to do with; if there is none, among those of the address book
    /// who are on the service, by their names there. A whole account id may be anybody's.
    func account(_ text: String) async throws -> AccountID {
        if let id = AccountID(text.lowercased()) { return id }
        var names = try await client.network.contacts(in: .everyone).map(\.nameable)
        if Reference(text).fitting(among: names).isEmpty { names += try await found(besides: Set(names.map(\.id))) }
        do {
            return try Reference(text).resolve(among: names, kind: "person").id
        } catch let failure as Failure where failure.code == "notFound" && failure.candidates.isEmpty {
            throw Failure(
                failure.status, failure.code,
                "Nobody you have to do with is called “\(text)”. Somebody new is named by the whole account id, which "
                    + "“kith profile” shows them; or look for the name: kith network search --directory \(text.shellWord)"
            )
        }
    }

    /// Those of the address book who were found on the service.
    private func found(besides known: Set<AccountID>) async throws -> [Nameable<AccountID>] {
        let matches = try await client.discovery.matches().filter { !known.contains($0.account) }
        if matches.isEmpty { return [] }
        let accounts = Dictionary(matches.map { ($0.identity, $0.account) }) { first, _ in first }
        var names: [AccountID: [String]] = [:]
        for contact in try await loadContacts() {
            for account in Set(contact.identities.compactMap { accounts[$0] }) {
                names[account, default: []].append(contact.displayName)
            }
        }
        return Set(accounts.values).sorted().map { account in
            let called = names[account] ?? []
            return Nameable(id: account, name: called.first, otherNames: Array(called.dropFirst()))
        }
    }

    /// What a command answers that does something about someone: a sentence with the name that they had before.
    func answer(
        about id: AccountID, doing deed: () async throws -> Void, _ sentence: (String, NetworkContact?) -> String
    ) async throws -> Answer {
        let name = try await client.network.contact(id)?.called ?? "account \(id.short)"
        try await deed()
        let contact = try await client.network.contact(id)
        return Answer(
            .object(["account": .text(id.description), "contact": contact?.json() ?? .null]), sentence(name, contact))
    }
}

extension NetworkContact {
    fileprivate var nameable: Nameable<AccountID> {
        let turned = [family, given].compactMap(\.self).joined(separator: " ")
        return Nameable(
            id: id, name: fullName, otherNames: [turned, nick ?? ""].filter { !$0.isEmpty }, distinction: company)
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
