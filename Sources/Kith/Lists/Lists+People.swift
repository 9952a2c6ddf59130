public import KithModel

extension Lists {
    // MARK: Who is in a list

    /// The people in a list. Empty until it was first sent.
    public func members(of list: ListID) async throws -> [Member] {
        try await client.replica.read { try Member.fetchAll($0, $1.key, of: list) }
    }

    /// Gives someone in a list another role. Making them its owner hands the list over.
    public func setRole(_ role: Role, of account: AccountID, in list: ListID) async throws {
        try await client.edit(isGroup: false) { try $0.setRole(role, of: account, in: list) }
    }

    /// Makes someone in a list its owner, and me an editor.
    public func handOver(_ list: ListID, to account: AccountID) async throws {
        try await client.edit(isGroup: false) { try $0.handOver(list, to: account) }
    }

    /// Takes someone out of a list. No invitation link lets them in until ``letIn(_:to:)`` does.
    public func removeMember(_ account: AccountID, from list: ListID) async throws {
        try await client.edit(isGroup: false) { try $0.removeMember(account, from: list) }
    }

    /// Sets the name that I go by in a list; at most 100 characters.
    public func setMyName(_ name: String?, in list: ListID) async throws {
        try await client.edit(isGroup: false) { try $0.setMyName(name, in: list) }
    }

    /// Leaves a list. Its owner hands it over or removes it instead.
    public func leave(_ list: ListID) async throws {
        try await client.edit(isGroup: false) { try $0.leave(list) }
    }

    // MARK: Links, which need the server

    /// Makes an invitation link. Whoever accepts it joins the list in this role.
    ///
    /// What waits is sent first, so that the server knows the list. Without a
    /// `duration` the link can be accepted for 14 days.
    ///
    /// - Returns: The link, with its `url`: the only time that it is shown.
    public func invite(to list: ListID, as role: Role, expiresIn duration: Duration? = nil) async throws -> ListLink {
        let request = LinkRequest(role: role, expiresIn: duration.map { $0.milliseconds / 1000 })
        return try await client.engine.afterRound { try await $0.createLink(request, to: list, token: $1) }
    }

    /// Makes a link by which anyone can read the list, without joining.
    ///
    /// Without a `duration` it works until it is revoked.
    public func publish(_ list: ListID, expiresIn duration: Duration? = nil) async throws -> ListLink {
        let request = LinkRequest(role: .viewer, expiresIn: duration.map { $0.milliseconds / 1000 }, isPublic: true)
        let link = try await client.engine.afterRound { try await $0.createLink(request, to: list, token: $1) }
        // That the list is public now is read at once, or else by the next round: the link is shown only here.
        try? await client.syncNow()
        return link
    }

    /// The live links of a list of mine, without their secrets.
    public func links(of list: ListID) async throws -> [ListLink] {
        try await client.engine.withSession { try await $0.links(of: list, token: $1) }
    }

    /// Revokes a link: nobody can join or read by it any more. Who has joined by it stays.
    public func revoke(_ link: LinkID, of list: ListID) async throws {
        try await client.engine.withSession { try await $0.revoke(link, of: list, token: $1) }
        try? await client.syncNow()
    }

    /// What an invitation offers, before one accepts it.
    ///
    /// `link` is the whole link, or the secret at its end.
    ///
    /// - Throws: ``KithError`` with `otherServer` if it leads to another server than this client's.
    public func preview(_ link: String) async throws -> LinkPreview {
        let address = LinkAddress(link)
        try await client.engine.check(address)
        return try await client.engine.ask(about: address) { try await $0.preview($1) }
    }

    /// Joins a list. Returns when the list can be read here.
    @discardableResult
    public func accept(_ link: String) async throws -> SharedList {
        let address = LinkAddress(link)
        try await client.engine.check(address)
        let acceptance = try await client.engine.afterRound { _, token in
            try await client.engine.ask(about: address) { try await $0.accept($1, token: token) }
        }
        try await client.syncNow()
        guard let list = try await list(acceptance.list) else { throw KithError.missing(.list(acceptance.list)) }
        return list
    }

    /// A list as anyone with its public link reads it.
    public func publicList(_ link: String) async throws -> PublicList {
        let address = LinkAddress(link)
        try await client.engine.check(address)
        return try await client.engine.ask(about: address) { try await $0.publicList($1) }
    }
}
