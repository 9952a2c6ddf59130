import ArgumentParser
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

/// The person that a command works on.
struct PersonArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The person: the name or the start of it, an account id, its start or its end.", valueName: "person"),
        completion: .custom(Self.complete))
    var person: String

    /// The names of the people that this device knows, for completion in a shell.
    private static func complete(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        guard let client = ListNames.client(words), let people = try? await client.network.contacts(in: .everyone)
        else {
            return []
        }
        return people.compactMap { $0.fullName?.printable.shellCandidate }
    }
}

/// Finds the person that a user names.
extension CommandContext {
    /// The person called `text`: first among my contacts of the network. If none matches, also among former contacts
    /// and the people that discovery has found, by their names in the address book. A whole account id may belong to
    /// anybody.
    func person(_ text: String) async throws -> Nameable<AccountID> {
        let network = try await client.network.contacts(in: .everyone)
        if let id = AccountID(text.lowercased()) {
            return network.first { $0.id == id }?.nameable() ?? Nameable(id: id, name: nil)
        }
        var names = network.map { $0.nameable() }
        if Reference(text).fitting(among: names).isEmpty {
            names = try await namesInBook(besides: client.network.acquaintances())
        }
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

    /// The contacts of the network and the people that discovery has found, with their names in the address book, as far
    /// as it can be read.
    private func namesInBook(besides network: [NetworkContact]) async throws -> [Nameable<AccountID>] {
        let accounts = Dictionary(try await client.discovery.matches().map { ($0.identity, $0.account) }) { $1 }
        var names: [AccountID: [String]] = [:]
        for contact in accounts.isEmpty ? [] : try await readableContacts() {
            for account in Set(contact.identities.compactMap { accounts[$0] }) {
                names[account, default: []].append(contact.displayName)
            }
        }
        let strangers = Set(accounts.values).subtracting(network.map(\.id)).sorted()
        return network.map { $0.nameable(alsoCalled: names[$0.id] ?? []) }
            + strangers.map { Nameable(id: $0, name: names[$0]?.first, otherNames: names[$0] ?? []) }
    }

    /// The answer of a command that acts on another person. It is given after sending, because the server may refuse.
    func answer(
        about person: Nameable<AccountID>, doing deed: () async throws -> Void,
        advising advice: String? = nil, _ sentence: (String, NetworkContact?) -> String
    ) async throws -> CommandAnswer {
        try await sending(deed)
        let contact = try await client.network.contact(person.id)
        let sentence = sentence(person.name ?? person.id.called, contact)
        return CommandAnswer(
            ["account": person.id, "contact": contact?.shape],
            text: { _ in [sentence, advice].compactMap { $0?.printable } })
    }
}

extension String {
    /// The name at the end of a sentence, with exactly one full stop, even if the name ends with one.
    var ended: String { hasSuffix(".") ? self : self + "." }
}

extension NetworkContact {
    fileprivate func nameable(alsoCalled names: [String] = []) -> Nameable<AccountID> {
        let turned = [family, given].compactMap(\.self).joined(separator: " ")
        return Nameable(
            id: id, name: fullName ?? names.first, otherNames: ([turned, nick ?? ""] + names).filter { !$0.isEmpty },
            distinction: company)
    }
}
