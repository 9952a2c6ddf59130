import Kith
package import KithModel

/// Who the people in the news are: what they are called, and which of them is the one who watches.
package struct NewsPeople: Sendable {
    package var names: [AccountID: String] = [:]
    package var me: AccountID?

    package init(names: [AccountID: String] = [:], me: AccountID? = nil) { (self.names, self.me) = (names, me) }
}

extension CommandContext {
    /// The people that lists and my network know of.
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
