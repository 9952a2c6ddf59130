import Kith
import KithModel

/// Finds the lists, items, members and links that a user names.
struct ListFinder: Sendable {
    private let client: KithClient
    private var lists: Lists { client.lists }

    init(_ client: KithClient) { self.client = client }

    /// The list called `text`: see ``Reference``.
    func list(_ text: String) async throws -> SharedList {
        let all = try await lists.all()
        do {
            return try Reference(text).find(in: all, kind: "list") { $1.nameable }
        } catch let failure as Failure where failure.code == "notFound" {
            throw try await listElsewhere(text, hasLists: !all.isEmpty) ?? failure
        } catch let failure as Failure where failure.code == "ambiguous" {
            throw try await ambiguous(text, among: all)
        }
    }

    /// The error that several lists fit, which distinguishes lists of one name by their items.
    private func ambiguous(_ text: String, among all: [SharedList]) async throws -> Failure {
        var fitting: [Nameable<ListID>] = []
        for list in Reference(text).fitting(among: all.map(\.nameable)) {
            let items = try await lists.items(in: list.id).count.things("item")
            fitting.append(Nameable(id: list.id, name: list.name, distinction: items))
        }
        return Reference(text).failure(fitting, among: all.map(\.nameable), kind: "list")
    }

    /// Notes that another list has the name of `list`, so that only an id names either of them.
    func noteNamesake(of list: SharedList, on console: Console) async throws {
        let all = try await lists.all()
        guard all.contains(where: { $0.id != list.id && $0.name == list.name }) else { return }
        let id = ShortIDs(all.map(\.id))[list.id]
        console.note("There is another list “\(list.name)”. To name this one: \(id)".printable)
    }

    /// The list called `text`, of which the user is the owner. Nobody else may manage its links.
    func ownList(_ text: String) async throws -> SharedList {
        let list = try await list(text)
        guard list.role == .owner else {
            throw Failure(.refused, "forbidden", "Only the owner of “\(list.name)” can do this. Ask them.")
        }
        return list
    }

    /// The reason why there is no list called `text`, if lists of other accounts explain it; nil otherwise.
    private func listElsewhere(_ text: String, hasLists: Bool) async throws -> Failure? {
        let others = try await client.otherStores().filter { $0.lists > 0 }
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
        return sentence.map { Failure.notFound($0) }
    }

    /// The items of `list` called `texts`, in the order of `texts`, each once.
    func items(_ texts: [String], in list: SharedList) async throws -> [ListItem] {
        let all = try await lists.items(in: list.id)
        var found: [ListItem] = []
        for text in texts {
            let item = try Reference(text).find(in: all, kind: "item") { $1.nameable(at: $0) }
            if !found.contains(where: { $0.id == item.id }) { found.append(item) }
        }
        return found
    }

    /// The person in `list` called `text`.
    func member(_ text: String, of list: SharedList) async throws -> Member {
        let all = try await lists.members(of: list.id)
        let called = try await client.namesOfPeople()
        // Somebody who has joined since the last round is not on this device yet.
        let command = "kith sync, then kith lists members \(list.name.shellWord)"
        return try Reference(text).find(in: all, kind: "member", listedBy: command) {
            Nameable(id: $1.id, name: $1.name(called), number: $0 + 1)
        }
    }

    /// The link of `list` called `text`: its number in the listing, or the start of its id.
    func link(_ text: String, of list: SharedList) async throws -> ListLink {
        let all = try await lists.links(of: list.id)
        return try Reference(text).find(in: all, kind: "link") { Nameable(id: $1.id, name: nil, number: $0 + 1) }
    }
}

extension SharedList {
    var nameable: Nameable<ListID> { Nameable(id: id, name: name) }
}

extension [ListItem] {
    /// The items by their names and their numbers in the listing.
    var nameables: [Nameable<ItemID>] {
        enumerated().map { $1.nameable(at: $0) }
    }
}

extension ListItem {
    fileprivate func nameable(at index: Int) -> Nameable<ItemID> { Nameable(id: id, name: title, number: index + 1) }
}
