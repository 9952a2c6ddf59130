import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("The page of an invitation to one person") struct InvitationPagesTests {
    /// Ada, who owns the list of `world`, invites Ben by email.
    ///
    /// - Returns: Her device, the invitation, and the path of the link in the email.
    private func invite(
        _ purpose: (ListID) -> Invitation.Purpose, in world: PageServer, text: String = "Come & <b>see</b>"
    ) async throws -> (device: TestDevice, id: UUID, path: String) {
        var device = TestDevice(world.owner)
        let (home, id) = (ListID(world.owner.account.uuid), UUID())
        var fields = purpose(world.list).fields
        fields["recipient"] = .text("mailto:ben@example.com")
        fields["requested"] = .integer(HandClock.start.milliseconds)
        fields["text"] = .text(text)
        try await device.sync(with: world.server)
        let profile = device.mutation(1, .profiles, Profile.id.uuid, in: home, set: ["given": .text("Ada")])
        let invitation = device.mutation(2, .invitations, id, in: home, set: fields)
        let outcomes = try await device.sync([profile, invitation], with: world.server).outcomes
        try #require(outcomes.isEmpty)
        let gateway = world.gateway
        try await Limit("The invitation is sent").until { !gateway.delivered.isEmpty }
        let link = try #require(gateway.delivered[0].text.firstMatch(of: /http:\/\/[^\s]*(\/v1\/invitations\/[\w-]+)/))
        return (device, id, String(link.output.1))
    }

    private func accept(_ path: String, as email: String, code index: Int, in world: PageServer) async throws
        -> PageReply
    {
        let page = try await world.open(path)
        let sent = try await world.send(path, [("ticket", page.ticket), ("email", email)])
        try #require(sent.status == 200, "\(sent.heading)")
        return try await world.send(
            path, [("ticket", sent.ticket), ("email", email), ("code", try await world.code(index))])
    }

    @Test("The link of the email opens a page with the inviter, the list and the text; a stranger accepts it there")
    func list() async throws {
        try await PageServer.run { world in
            let path = try await invite({ .list($0, .viewer) }, in: world).path
            for _ in 1...2 {
                let page = try await world.open(path)
                #expect(page.status == 200 && page.heading == "You are invited to a list")
                #expect(page.text.contains("<bdi>Ada</bdi>") && page.text.contains("<bdi>Groceries</bdi>"))
                #expect(page.text.contains("Come &amp; &lt;b&gt;see&lt;/b&gt;"))
                #expect(
                    page.text.contains("kith invite open http://") && page.text.contains("href=\"kith://127.0.0.1:"))
            }
            let json = try await world.server.ask("GET", path)
            #expect(json.head["content-type"] == "application/json")
            let joined = try await accept(path, as: "carl@example.com", code: 1, in: world)
            #expect(joined.status == 200 && joined.heading == "You have joined the list")
            #expect(joined.text.contains("Viewer") && joined.text.contains("carl@example.com"))
            #expect(try await world.members() == 2)
            let used = try await world.open(path)
            #expect(used.status == 410 && used.heading == "This invitation is no longer valid")
            // Whoever has accepted it finds the way to the account.
            #expect(used.text.contains(#"<a href="/sign-in">Sign in</a>"#))
        }
    }

    @Test("The form that has accepted an invitation has the same answer again") func repeated() async throws {
        try await PageServer.run { world in
            let path = try await invite({ .list($0, .viewer) }, in: world).path
            let page = try await world.open(path)
            let sent = try await world.send(path, [("ticket", page.ticket), ("email", "ben@example.com")])
            let code = try await world.code(1)
            for _ in 1...2 {
                let joined = try await world.send(
                    path, [("ticket", sent.ticket), ("email", "ben@example.com"), ("code", code)])
                #expect(joined.status == 200 && joined.heading == "You have joined the list")
            }
            #expect(try await world.members() == 2)
            let other = try await world.send(
                path, [("ticket", PageTicket().text), ("email", "ben@example.com"), ("code", code)])
            #expect(other.status == 410 && other.heading == "This invitation is no longer valid")
        }
    }

    @Test("An invitation to connect names the inviter, and connects the two") func connect() async throws {
        try await PageServer.run { world in
            let path = try await invite({ _ in .connect }, in: world).path
            let page = try await world.open(path)
            #expect(page.heading == "You are invited to connect" && page.text.contains("<bdi>Ada</bdi>"))
            #expect(!page.text.contains("Your role") && !page.text.contains("in the list do not see"))
            let connected = try await accept(path, as: "ben@example.com", code: 1, in: world)
            #expect(connected.status == 200 && connected.heading == "You are connected")
        }
    }

    @Test("Revoked, expired, incomplete and unknown invitations have a page; nothing is sent")
    func dead() async throws {
        try await PageServer.run {
            // The clock stands still, and the test asks until the link has ended.
            $0.limits.address = Rate(perSecond: 1_000_000, burst: 1_000_000)
            $0.limits.addressWork = Rate(perSecond: 1_000_000, burst: 1_000_000)
        } _: { world in
            let invited = try await invite({ .list($0, .editor) }, in: world)
            let (path, home) = (invited.path, ListID(world.owner.account.uuid))
            for bad in [String(path.dropLast()), "/v1/invitations/x", "/v1/invitations/", "/v1/invitations/%C3%A4"] {
                let page = try await world.open(bad)
                #expect(page.status == 404 && page.heading == "This link does not exist", "\(bad)")
            }
            var device = invited.device
            let revoking = device.mutation(1, .invitations, invited.id, in: home, set: ["isRevoked": .flag(true)])
            try await device.sync([revoking], with: world.server)
            let server = world.server
            try await Limit("The link ends").until { [404, 410].contains(try await server.ask("GET", path).status) }
            let page = try await world.open(path)
            #expect([404, 410].contains(page.status) && page.isPage)
            let form = try await world.send(path, [("ticket", PageTicket().text), ("email", "ben@example.com")])
            #expect(form.status == page.status && world.gateway.delivered.count == 1)
        }
        try await PageServer.run { world in
            let invited = try await invite({ .list($0, .editor) }, in: world)
            let path = invited.path
            let page = try await world.open(path)
            let sent = try await world.send(path, [("ticket", page.ticket), ("email", "ben@example.com")])
            let code = try await world.code(1)
            var device = invited.device
            var deletion = device.mutation(1, .lists, world.list.uuid, in: world.list, set: [:])
            deletion.change = .delete
            try #require(try await device.sync([deletion], with: world.server).outcomes.isEmpty)
            // The form with the right code makes no account, and no other code is sent.
            let ended = [
                try await world.open(path),
                try await world.send(path, [("ticket", sent.ticket), ("email", "ben@example.com"), ("code", code)]),
                try await world.send(path, [("ticket", PageTicket().text), ("email", "carl@example.com")]),
            ]
            for page in ended {
                #expect(page.status == 410 && page.heading == "This invitation is no longer valid")
            }
            #expect(world.gateway.delivered.count == 2)
            let identities = try await world.database.read { transaction in
                try transaction.query("SELECT count(*) FROM identity").first?.integer(0)
            }
            #expect(identities == 0)
        }
        try await PageServer.run { world in
            let path = try await invite({ .list($0, .editor) }, in: world).path
            world.server.clock.advance(Limits.invitation + .seconds(1))
            let page = try await world.open(path)
            #expect(page.status == 410 && page.heading == "This invitation is no longer valid")
        }
    }
}
