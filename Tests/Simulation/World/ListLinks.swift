import Kith
import KithModel
import KithServer

/// The links of lists in a world: who creates them, who uses them, and when they become invalid.
final class ListLinks {
    /// The links that were created and that a server still has.
    private var links: [SimulatedLink] = []
    private unowned let world: World

    init(in world: World) { self.world = world }

    /// The server has lost all of its links.
    func forget(server: Int) { links.removeAll { $0.server == server } }

    /// A link is created, revoked or used.
    func use(_ index: Int) throws {
        if links.isEmpty || world.random.oneIn(2) { return try makeLink(index) }
        let place = Int.random(in: links.indices, using: &world.random)
        guard world.servers[links[place].server].crash.now == .none else { return }
        if world.random.oneIn(3) { return try revokeLink(place) }
        try follow(links[place])
    }

    /// The owner of a list creates a link: an invitation, which someone accepts at once, or a public link.
    private func makeLink(_ index: Int) throws {
        let content = try world.devices[index].content()
        guard let owner = content.account.id, let list = content.lists.first(where: { $0.role == .owner }) else {
            return
        }
        let server = world.home(of: owner)
        guard server.crash.now == .none, let home = world.homes[owner] else { return }
        do {
            let now = world.time(on: server)
            let request = LinkRequest(
                role: world.random.oneIn(4) ? .viewer : .editor,
                expiresIn: world.random.oneIn(3) ? Int64.random(in: 1...300, using: &world.random) : nil,
                isPublic: world.random.oneIn(4) ? true : nil)
            let made = try server.changeLinks(at: now) { [list = list.id] links in
                try links.create(request, for: list, by: owner).value
            }
            guard let token = made.token else { throw world.fail(.walls, "a link is made without a token") }
            world.changed = home
            let link = SimulatedLink(
                server: home, id: made.id, token: token, list: list.id, owner: owner, isPublic: made.isPublic,
                expires: made.expires)
            links.append(link)
            world.note("\(server.name): \(owner) makes a \(link.isPublic ? "public link" : "link") of \(list.id)")
            try follow(link)
        } catch let error as ServerError where [.notFound, .tooMany].contains(error.code) {
            // The server does not have the list, or it belongs to someone else.
        }
    }

    private func revokeLink(_ place: Int) throws {
        let link = links[place]
        let server = world.servers[link.server]
        do {
            _ = try server.changeLinks(at: world.time(on: server)) { links in
                try links.revoke(link.id, of: link.list, by: link.owner)
            }
            world.changed = link.server
            links[place].isRevoked = true
            world.note("\(server.name): \(link.owner) revokes a link of \(link.list)")
        } catch let error as ServerError where error.code == .notFound {
            // The link has expired or was revoked, or the list is gone or belongs to someone else.
        }
    }

    // MARK: Following a link

    private func follow(_ link: SimulatedLink) throws {
        if link.isPublic && !world.random.oneIn(4) { return try read(link) }
        let server = world.servers[link.server]
        guard let guest = server.accounts.filter({ $0 != link.owner }).randomElement(using: &world.random),
            try server.hasAccount(guest)
        else { return }
        let now = world.time(on: server)
        func join() throws {
            _ = try server.changeLinks(at: now) { try $0.accept(link.token, by: guest) }
            world.changed = link.server
            world.auditor.joined(guest, link.list, as: .member(guest, of: link.list))
            world.note("\(server.name): \(guest) joins \(link.list)")
            if link.isPublic || !link.isOpen(at: now) {
                throw world.fail(.walls, "\(guest) joins by a link that is public, revoked or expired")
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
            world.note("\(server.name): \(guest) does not join \(link.list): \(error.code)")
        }
    }

    private static let closed: [Problem.Code] = [.notFound, .tooMany, .linkExpired, .conflict]

    /// Reads a list by its public link without a session. The answer must contain exactly its current items.
    private func read(_ link: SimulatedLink) throws {
        let server = world.servers[link.server]
        let now = world.time(on: server)
        do {
            let read = try server.database.readNow { [id = server.database.server] transaction in
                try LinkTransaction(transaction, at: now, on: id).publicList(link.token)
            }
            guard link.isPublic, link.isOpen(at: now) else {
                throw world.fail(.walls, "\(link.list) is read by a link that is revoked or expired")
            }
            let records = try server.records(of: link.list.retyped())
            let titles = records.filter { $0.collection == .items }.compactMap { $0.fields["title"]?.text }
            guard read.items.map(\.title).sorted() == titles.sorted() else {
                throw world.fail(.walls, "a public link shows \(read.items), and the list has \(titles)")
            }
        } catch let error as ServerError where Self.closed.contains(error.code) {
            world.note("\(server.name): nobody reads \(link.list): \(error.code)")
        }
    }
}
