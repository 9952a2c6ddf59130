import Foundation
import KithModel
import KithServer
import Testing

@Suite("The list of a shareable") struct ShareableListTests {
    private let world: SharingWorld
    private var ada: Phone
    private let list: FeedID

    init() throws {
        world = try SharingWorld()
        ada = try world.person("Ada")
        list = world.town.id()
        try ada.sync(ada.mutation(list, .lists, list.retyped(), .set(["name": "Wishes", "kind": "wish"])))
        try ada.sync(ada.shareable("ADA-TEA"))
    }

    private func link(_ request: LinkRequest) throws -> ListLink {
        try world.town.links.create(request, for: list.retyped(), by: ada.account, at: world.town.now).value
    }

    private mutating func outcomes(_ token: String?) throws -> [String] {
        try ada.outcomes(ada.change(["list": .text(token ?? "")]))
    }

    @Test("The token of an invitation for editors is refused, because the page could not show its list")
    mutating func invitation() throws {
        let invitation = try link(LinkRequest(role: .editor, isPublic: false))
        #expect(try outcomes(invitation.token) == ["invalid"])
        #expect(try outcomes("no-such-token") == ["invalid"])
        #expect(ada.shareables.first?.list == nil)
    }

    @Test("The token of a public link is taken, until the link is revoked; other fields change after that too")
    mutating func publicLink() throws {
        let first = try link(LinkRequest(role: .viewer, isPublic: true))
        #expect(try outcomes(first.token) == ["applied"])
        #expect(ada.shareables.first?.list == first.token)
        let second = try link(LinkRequest(role: .viewer, isPublic: true))
        for link in [first, second] {
            _ = try world.town.links.revoke(link.id, of: list.retyped(), by: ada.account, at: world.town.now)
        }
        #expect(try outcomes(second.token) == ["invalid"])
        #expect(try ada.outcomes(ada.change(["label": "Wishes"])) == ["applied"])
        #expect(try outcomes(nil) == ["applied"])
    }
}
