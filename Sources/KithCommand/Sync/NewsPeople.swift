import Kith
package import KithModel

/// The people in the news: their names, and which of them is the watching user.
package struct NewsPeople: Sendable {
    package var names: [AccountID: String] = [:]
    package var me: AccountID?

    package init(names: [AccountID: String] = [:], me: AccountID? = nil) { (self.names, self.me) = (names, me) }
}

extension NewsPeople {
    /// The people in the user's lists and network.
    init(_ client: KithClient) async throws {
        var names = try await client.namesOfPeople()
        for list in try await client.lists.all() {
            for member in try await client.lists.members(of: list.id) where names[member.id] == nil {
                names[member.id] = member.calledName
            }
        }
        self.init(names: names, me: try await client.session.account())
    }
}
