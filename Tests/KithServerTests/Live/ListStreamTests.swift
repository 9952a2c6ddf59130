import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("The page of a public link is live", .timeLimit(.minutes(15)))
struct ListStreamTests {
    // MARK: Streams

    private let list = FeedID(UUID())

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test("A stream hears of its list only, and of many changes once") func changes() throws {
        let streams = ListStreams()
        let stream = try streams.open(list, from: address("192.0.2.1"))
        let rings = Mutex(0)
        streams.changed([list])
        stream.whenNews { rings.withLock { $0 += 1 } }
        #expect(rings.withLock { $0 } == 1, "The change from before is told at once.")
        streams.changed([FeedID(UUID())])
        #expect(rings.withLock { $0 } == 1)
        streams.changed([list, FeedID(UUID())])
        #expect(rings.withLock { $0 } == 2)
        #expect(stream.take() == .changed)
        streams.check()
        #expect(rings.withLock { $0 } == 3)
        #expect(stream.take() == .nothing)
        streams.close()
        #expect(rings.withLock { $0 } == 4)
        #expect(stream.take() == nil)
        #expect(throws: ServerError.self) { try streams.open(list, from: address("192.0.2.1")) }
    }

    @Test("One address has so many streams, and a stream that is released makes room") func limits() throws {
        let streams = ListStreams(atOnce: 100, ofAddress: 2)
        var open = try (0..<2).map { _ in try streams.open(list, from: address("2001:db8::1")) }
        let error = #expect(throws: ServerError.self) { try streams.open(list, from: address("2001:db8::2")) }
        #expect(error?.code == .busy, "It is the same network.")
        let other = try streams.open(list, from: address("192.0.2.1"))
        #expect(streams.count == 3)
        open.removeLast()
        #expect(streams.count == 2)
        open.append(try streams.open(list, from: address("2001:db8::2")))
        withExtendedLifetime((open, other)) {}
    }

    @Test("Each event checks the link, as does the server at intervals; the last event says that it is gone")
    func checks() async throws {
        let streams = ListStreams()
        let isUsable = Mutex(true)
        let events = ListEvents(try streams.open(list, from: address("192.0.2.1"))) { isUsable.withLock { $0 } }
        let written = Mutex<[Data]>([])
        let write: @concurrent @Sendable (Data) async throws -> Void = { event in
            written.withLock { $0.append(event) }
        }
        try await events.writeFirst(write)
        streams.changed([list])
        let goesOnAfterChange = try await events.writeNews(write)
        streams.check()
        let goesOnAfterCheck = try await events.writeNews(write)
        isUsable.withLock { $0 = false }
        streams.check()
        let goesOnWithoutLink = try await events.writeNews(write)
        #expect([goesOnAfterChange, goesOnAfterCheck, goesOnWithoutLink] == [true, true, false])
        #expect(written.withLock { $0 } == [DeviceEvents.hello, ListEvents.changed, ListEvents.gone])
    }

    // MARK: The server

    /// Opens the stream of a link.
    private func watch(_ link: ListLink, on server: TestServer) async throws -> Wire {
        let wire = try Wire(server.url)
        try wire.send(server.request("GET", "/v1/public/\(link.token ?? "")/events"))
        let head = try await wire.head()
        try #require(head.status == 200 && head["content-type"] == "text/event-stream")
        try #require(try await wire.chunk() == DeviceEvents.hello)
        return wire
    }

    /// A wish list with a kite, and its link.
    private func wishes(
        of ada: inout TestDevice, on server: TestServer
    ) async throws -> (list: ListID, kite: ItemID, link: ListLink) {
        let (list, kite) = (try await ada.makeList("Wishes", with: server), ItemID(UUID()))
        let edits = [
            ada.mutation(1, .lists, list.uuid, in: list, set: ["kind": "wish"]),
            ada.mutation(2, .items, kite.uuid, in: list, set: ["title": "Kite", "position": "a0"]),
        ]
        try #require(try await ada.sync(edits, with: server).outcomes.isEmpty)
        let link: ListLink = try await server.ask(
            "POST", "/v1/lists/\(list)/links", token: ada.session.token,
            json: LinkRequest(role: .viewer, isPublic: true, canTick: true)
        ).decoded()
        return (list, kite, link)
    }

    private func give(_ item: ItemID, _ link: ListLink, on server: TestServer) async throws {
        let reply = try await server.submit(
            [("item", item.description), ("ticked", "yes")], to: "/v1/public/\(link.token ?? "")",
            headers: ["Sec-Fetch-Site": "same-origin"])
        try #require(reply.status == 303)
    }

    @Test("Law: A gift reaches the page, and no device of the list's people") func gifts() async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            let (_, kite, link) = try await wishes(of: &ada, on: server)
            let (page, tablet) = (try await watch(link, on: server), TestDevice(ada.session))
            let onTablet = try await server.live(ada.session, tablet.id)
            try await give(kite, link, on: server)
            #expect(try await page.chunk() == ListEvents.changed)
            // The first event of the tablet is about what Ada does next.
            _ = try await ada.makeList("Groceries", with: server)
            let event = String(decoding: try await onTablet.chunk(), as: UTF8.self)
            #expect(event.hasPrefix("event: moved\n") && event.contains(ada.session.account.description))
            #expect(!event.contains(link.list.description))
        }
    }

    @Test("An edit of the list reaches the page") func edits() async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            let (list, kite, link) = try await wishes(of: &ada, on: server)
            let page = try await watch(link, on: server)
            let edit = ada.mutation(1, .items, kite.uuid, in: list, set: ["title": "Red kite"])
            try #require(try await ada.sync([edit], with: server).outcomes.isEmpty)
            #expect(try await page.chunk() == ListEvents.changed)
        }
    }

    @Test("The stream ends when its link is revoked, also beside another public link, and when the list is deleted")
    func ends() async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            let (list, _, link) = try await wishes(of: &ada, on: server)
            let other: ListLink = try await server.ask(
                "POST", "/v1/lists/\(list)/links", token: ada.session.token,
                json: LinkRequest(role: .viewer, isPublic: true)
            ).decoded()
            let (page, further) = (try await watch(link, on: server), try await watch(other, on: server))
            let path = "/v1/lists/\(list)/links/\(link.id)"
            #expect(try await server.ask("DELETE", path, token: ada.session.token).status == 204)
            #expect(try await page.chunk() == ListEvents.gone)
            #expect(try await page.chunk().isEmpty)
            #expect(try await server.ask("GET", "/v1/public/\(link.token ?? "")/events").status == 410)
            #expect(try await further.chunk() == ListEvents.changed)
            var removal = ada.mutation(1, .lists, list.uuid, in: list, set: [:])
            removal.change = .delete
            try #require(try await ada.sync([removal], with: server).outcomes.isEmpty)
            #expect(try await further.chunk() == ListEvents.gone)
        }
    }

    @Test("Invitations and unknown links have no stream; a HEAD opens none") func refused() async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            let (list, _, link) = try await wishes(of: &ada, on: server)
            let invitation: ListLink = try await server.ask(
                "POST", "/v1/lists/\(list)/links", token: ada.session.token, json: LinkRequest(role: .editor)
            ).decoded()
            for token in [invitation.token ?? "", "unknown"] {
                #expect(try await server.ask("GET", "/v1/public/\(token)/events").status == 404)
            }
            let head = try await server.ask("HEAD", "/v1/public/\(link.token ?? "")/events")
            #expect(head.status == 200 && head.head["content-type"] == "text/event-stream")
        }
    }
}
