import Kith
import KithModel
import KithServer

/// The links of lists: who creates them, who uses them, and when they become invalid.
extension World {
    func share(_ index: Int) throws {
        if links.isEmpty || random.oneIn(2) { return try makeLink(index) }
        let place = Int.random(in: links.indices, using: &random)
        guard servers[links[place].server].crash.now == .none else { return }
        if random.oneIn(3) { return try revokeLink(place) }
        try follow(links[place])
    }

    /// The owner of a list creates a link: an invitation, which someone accepts at once, or a public link.
    private func makeLink(_ index: Int) throws {
        let look = try devices[index].look()
        guard let owner = look.account.id, let list = look.lists.first(where: { $0.role == .owner }) else { return }
        let server = home(of: owner)
        guard server.crash.now == .none, let home = homes[owner] else { return }
        do {
            let now = time(on: server)
            let request = LinkRequest(
                role: random.oneIn(4) ? .viewer : .editor,
                expiresIn: random.oneIn(3) ? Int64.random(in: 1...300, using: &random) : nil,
                isPublic: random.oneIn(4) ? true : nil)
            let made = try server.changeLinks(at: now) { [list = list.id] links in
                try links.create(request, for: list, by: owner).value
            }
            guard let token = made.token else { throw fail(.walls, "a link is made without a token") }
            changed = home
            let link = SimulatedLink(
                server: home, id: made.id, token: token, list: list.id, owner: owner, isPublic: made.isPublic,
                expires: made.expires)
            links.append(link)
            note("\(server.name): \(owner) makes a \(link.isPublic ? "public link" : "link") of \(list.id)")
            try follow(link)
        } catch let error as ServerError where [.notFound, .tooMany].contains(error.code) {
            // The server does not have the list, or it belongs to someone else.
        }
    }

    private func revokeLink(_ place: Int) throws {
        let link = links[place]
        let server = servers[link.server]
        do {
            _ = try server.changeLinks(at: time(on: server)) { links in
                try links.revoke(link.id, of: link.list, by: link.owner)
            }
            changed = link.server
            links[place].isRevoked = true
            note("\(server.name): \(link.owner) revokes a link of \(link.list)")
        } catch let error as ServerError where error.code == .notFound {
            // The link has expired or was revoked, or the list is gone or belongs to someone else.
        }
    }

    // MARK: Following a link

    private func follow(_ link: SimulatedLink) throws {
        if link.isPublic && !random.oneIn(4) { return try read(link) }
        let server = servers[link.server]
        guard let guest = server.accounts.filter({ $0 != link.owner }).randomElement(using: &random),
            try server.hasAccount(guest)
        else { return }
        let now = time(on: server)
        func join() throws {
            _ = try server.changeLinks(at: now) { try $0.accept(link.token, by: guest) }
            changed = link.server
            auditor.joined(guest, link.list, as: .member(guest, of: link.list))
            note("\(server.name): \(guest) joins \(link.list)")
            if link.isPublic || !link.isOpen(at: now) {
                throw fail(.walls, "\(guest) joins by a link that is public, revoked or expired")
            }
        }
        do {
            do {
                try join()
            } catch let error as ServerError where error.code == .forbidden {
                // The owner has removed this person, and now lets them join again.
                try server.changeLinks(at: now) { try $0.letIn(guest, to: link.list, by: link.owner) }
                try join()
            }
        } catch let error as ServerError where Self.closed.contains(error.code) {
            note("\(server.name): \(guest) does not join \(link.list): \(error.code)")
        }
    }

    private static let closed: [Problem.Code] = [.notFound, .tooMany, .linkExpired, .conflict]

    /// Reads a list by its public link without a session. The answer must contain exactly its current items.
    private func read(_ link: SimulatedLink) throws {
        let server = servers[link.server]
        let now = time(on: server)
        do {
            let read = try server.database.readNow { [id = server.database.server] transaction in
                try LinkTransaction(transaction, at: now, on: id).publicList(link.token)
            }
            guard link.isPublic, link.isOpen(at: now) else {
                throw fail(.walls, "\(link.list) is read by a link that is revoked or expired")
            }
            let records = try server.records(of: link.list.retyped())
            let titles = records.filter { $0.collection == .items }.compactMap { $0.fields["title"]?.text }
            guard read.items.map(\.title).sorted() == titles.sorted() else {
                throw fail(.walls, "a public link shows \(read.items), and the list has \(titles)")
            }
        } catch let error as ServerError where Self.closed.contains(error.code) {
            note("\(server.name): nobody reads \(link.list): \(error.code)")
        }
    }
}

/// A link, with what a person who has it knows.
struct SimulatedLink {
    let server: Int
    let id: LinkID
    let token: String
    let list: ListID
    let owner: AccountID
    let isPublic: Bool
    let expires: Timestamp?
    var isRevoked = false

    func isOpen(at now: Timestamp) -> Bool { !isRevoked && expires.map { now < $0 } ?? true }
}
