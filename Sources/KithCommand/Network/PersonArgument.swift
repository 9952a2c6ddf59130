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

    /// The person that is meant: first among my contacts of the network. If none matches, also among former contacts
    /// and the people that discovery has found, by their names in the address book. A whole account id may belong to
    /// anybody.
    func find(_ context: CommandContext) async throws -> Nameable<AccountID> {
        let network = try await context.client.network.contacts(in: .everyone)
        if let id = AccountID(person.lowercased()) {
            return network.first { $0.id == id }?.nameable() ?? Nameable(id: id, name: nil)
        }
        var names = network.map { $0.nameable() }
        if Reference(person).fitting(among: names).isEmpty {
            names = try await Self.namesInBook(context, besides: context.client.network.acquaintances())
        }
        do {
            return try Reference(person).resolve(among: names, kind: "person")
        } catch let failure as Failure where failure.code == "notFound" && failure.candidates.isEmpty {
            throw Failure(
                failure.status, failure.code,
                "Nobody you have to do with is called “\(person)”. Somebody new is named by the whole account id, which "
                    + "“kith profile” shows them; or look for the name: kith network search --directory \(person.shellWord)"
            )
        }
    }

    /// Acts on the person, and answers after sending, because the server may refuse.
    func answer(
        _ context: CommandContext, doing deed: (AccountID) async throws -> Void,
        advising advice: (AccountID) -> String? = { _ in nil }, _ sentence: (String, NetworkContact?) -> String
    ) async throws -> CommandAnswer {
        let person = try await find(context)
        try await context.sending { try await deed(person.id) }
        let contact = try await context.client.network.contact(person.id)
        let sentences = [sentence(person.name ?? person.id.called, contact), advice(person.id)]
        return CommandAnswer(
            ["account": person.id, "contact": contact?.shape],
            text: { _ in sentences.compactMap { $0?.printable } })
    }

    /// The contacts of the network and the people that discovery has found, with their names in the address book, as far
    /// as it can be read.
    private static func namesInBook(
        _ context: CommandContext, besides network: [NetworkContact]
    ) async throws -> [Nameable<AccountID>] {
        let accounts = Dictionary(try await context.client.discovery.matches().map { ($0.identity, $0.account) }) { $1 }
        var names: [AccountID: [String]] = [:]
        let contacts =
            accounts.isEmpty ? [] : try await context.addressBook.readableContacts(noting: context.console)
        for contact in contacts {
            for account in Set(contact.identities.compactMap { accounts[$0] }) {
                names[account, default: []].append(contact.displayName)
            }
        }
        let strangers = Set(accounts.values).subtracting(network.map(\.id)).sorted()
        return network.map { $0.nameable(alsoCalled: names[$0.id] ?? []) }
            + strangers.map { Nameable(id: $0, name: names[$0]?.first, otherNames: names[$0] ?? []) }
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
