import Foundation
import Kith
import KithModel

/// Finds the lists, items, members and links that a user names.
extension CommandContext {
    /// The list called `text`: see ``Reference``.
    func list(_ text: String) async throws -> SharedList {
        let all = try await lists.all()
        do {
            let found = try Reference(text).resolve(among: all.map(\.nameable), kind: "list")
            return try known(all.first { $0.id == found.id }, "list", text)
        } catch let failure as Failure where failure.code == "notFound" {
            throw try await listElsewhere(text, hasLists: !all.isEmpty) ?? failure
        }
    }

    /// The reason why there is no list called `text`, if lists of other accounts explain it; nil otherwise.
    private func listElsewhere(_ text: String, hasLists: Bool) async throws -> Failure? {
        let others = try await otherStores().filter { $0.lists > 0 }
        var ways: [String] = []
        for store in others {
            let lists = try await self.lists.all(within: store.scope)
            for found in Reference(text).fitting(among: lists.map(\.nameable)) {
                let name = (found.name ?? text).shellWord
                ways.append("It is in \(store.called): kith --account \(store.scope.typed) items \(name)")
            }
        }
        let sentence =
            if let way = ways.first {
                "There is no list “\(text)” in this account. "
                    + (ways.count == 1 ? way : "Other accounts have such lists: kith lists --all-accounts")
            } else if hasLists || others.isEmpty {
                String?.none
            } else {
                "There is no list “\(text)”: there are no lists in this account. There are lists in "
                    + others.map(\.called).joined(separator: ", ") + ": kith lists --all-accounts"
            }
        return sentence.map { Failure(.notFound, "notFound", $0) }
    }

    /// The stores of this device besides the one that the command works with.
    func otherStores() async throws -> [StoredAccount] {
        let scope = try await shown()
        return try await client.accounts.all().filter { $0.scope != scope }
    }

    /// The items of `list` called `texts`, in the order of `texts`, each once.
    func items(_ texts: [String], in list: SharedList) async throws -> [ListItem] {
        let all = try await lists.items(in: list.id)
        let names = all.nameables
        var found: [ListItem] = []
        for text in texts {
            let name = try Reference(text).resolve(among: names, kind: "item")
            let item = try known(all.first { $0.id == name.id }, "item", text)
            if !found.contains(where: { $0.id == item.id }) { found.append(item) }
        }
        return found
    }

    /// The person in `list` called `text`.
    func member(_ text: String, of list: SharedList) async throws -> Member {
        let all = try await lists.members(of: list.id)
        let called = try await namesOfPeople()
        let names = all.enumerated().map { Nameable(id: $1.id, name: $1.name(called), number: $0 + 1) }
        let found = try Reference(text).resolve(among: names, kind: "member")
        return try known(all.first { $0.id == found.id }, "member", text)
    }

    /// The link of `list` called `text`: its number in the listing, or the start of its id.
    func link(_ text: String, of list: SharedList) async throws -> ListLink {
        let all = try await lists.links(of: list.id)
        let names = all.enumerated().map { Nameable(id: $1.id, name: nil, number: $0 + 1) }
        let found = try Reference(text).resolve(among: names, kind: "link")
        return try known(all.first { $0.id == found.id }, "link", text)
    }

    func known<Found>(_ found: Found?, _ kind: String, _ text: String) throws -> Found {
        guard let found else { throw Failure(.notFound, "notFound", "There is no \(kind) “\(text)”.") }
        return found
    }
}

extension SharedList {
    var nameable: Nameable<ListID> { Nameable(id: id, name: name) }
}

extension [ListItem] {
    /// The items by their names and their numbers in the listing.
    var nameables: [Nameable<ItemID>] {
        enumerated().map { Nameable(id: $1.id, name: $1.title, number: $0 + 1) }
    }
}
