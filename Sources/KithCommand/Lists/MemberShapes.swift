import Kith
package import KithModel

extension CommandContext {
    /// What the people that I have to do with are called, myself included: who shows me more than others is named by it.
    func namesOfPeople() async throws -> [AccountID: String] {
        var names: [AccountID: String] = [:]
        for contact in try await client.network.contacts(in: .everyone) { names[contact.id] = contact.fullName }
        if let me = try await client.session.account() { names[me] = try await client.network.profile().fullName }
        return names
    }

    /// What the people of a list are called.
    func names(in list: ListID) async throws -> [AccountID: String] {
        var names = try await namesOfPeople()
        for member in try await lists.members(of: list) { names[member.id] = member.name(names) }
        return names
    }
}

extension Member {
    /// What the person is called: as chosen for the list, or else as in the profile; nil if neither is known.
    package func name(_ names: [AccountID: String]) -> String? { name ?? names[id] ?? profileName }

    /// The same, or the start of the id.
    package func called(_ names: [AccountID: String]) -> String { name(names) ?? "Member \(id.short)" }

    /// The member for `--json`: `name` is what the person is called, `ownName` the name chosen for the list.
    func shape(me: AccountID?, _ names: [AccountID: String]) -> Shape {
        [
            "account": id, "list": listID, "role": role, "name": name(names), "ownName": name, "you": id == me,
            "modified": modified.date,
        ]
    }
}
