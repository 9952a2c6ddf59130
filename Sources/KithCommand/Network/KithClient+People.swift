import Kith
package import KithModel

extension KithClient {
    /// The names of my contacts of the network and of myself. If people show me more of their profile than others see,
    /// this includes their names.
    func namesOfPeople() async throws -> [AccountID: String] {
        var names: [AccountID: String] = [:]
        for contact in try await network.contacts(in: .everyone) { names[contact.id] = contact.fullName }
        if let me = try await session.account() { names[me] = try await network.profile().fullName }
        return names
    }

    /// The names of the people in a list.
    func names(in list: ListID) async throws -> [AccountID: String] {
        var names = try await namesOfPeople()
        for member in try await lists.members(of: list) { names[member.id] = member.name(names) }
        return names
    }
}

extension Member {
    /// The person's name: the one chosen for the list, or else the profile's name; nil if neither is known.
    package func name(_ names: [AccountID: String]) -> String? { name ?? names[id] ?? profileName }

    /// The person's name, or else “Member” and the short id.
    package func called(_ names: [AccountID: String]) -> String { name(names) ?? "Member \(id.short)" }
}
