import Kith
package import KithModel

/// The people in the news: their names, and which of them is the watching user.
package struct NewsPeople: Sendable {
    package var names: [AccountID: String] = [:]
    package var me: AccountID?

    package init(names: [AccountID: String] = [:], me: AccountID? = nil) { (self.names, self.me) = (names, me) }
}

extension CommandContext {
    /// The people in the lists and in my network.
    func newsPeople() async throws -> NewsPeople {
        var names = try await namesOfPeople()
        for list in try await lists.all() {
            for member in try await lists.members(of: list.id) where names[member.id] == nil {
                names[member.id] = member.calledName
            }
        }
        return NewsPeople(names: names, me: try await client.session.account())
    }
}
