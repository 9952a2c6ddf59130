import Foundation
import Kith
import KithModel
import Testing

@Suite("When a list was last changed") struct ListTimeTests {
    @Test("A list counts as changed when an item is created, edited or removed, but not when its people change")
    func items() async throws {
        let (phone, list) = try await Phone.withList()
        let (server, clock) = (phone.server, phone.clock)
        func changed() async throws -> Timestamp? { try await phone.lists.list(list)?.modified }
        clock.advance(by: .seconds(10))
        let milk = try await phone.lists.add("Milk", to: list)
        #expect(try await changed() == clock.now)
        clock.advance(by: .seconds(10))
        try await phone.lists.setTicked(milk.id, true)
        #expect(try await changed() == clock.now)
        try await phone.client.syncNow()
        clock.advance(by: .seconds(10))
        let written = clock.now
        let tea = ItemID(UUID(high: 0x0190_0000_0000_7000, low: 1))
        server.change { $0.write(.items, tea.retyped(), ["title": "Tea"], in: list.retyped(), at: written) }
        clock.advance(by: .seconds(10))
        let ada = AccountID(UUID(high: 0x0190_0000_0000_7000, low: 2))
        server.change { $0.share(list, with: ada, as: .viewer, at: clock.now) }
        clock.advance(by: .seconds(10))
        try await phone.client.syncNow()
        #expect(try await changed() == written)
        // A device that reads all of it in pages finds the same.
        let other = try await shared(phone, list, as: .editor)
        #expect(try await other.lists.list(list)?.modified == written)
        // A removal by others counts when it is seen.
        server.change { $0.write(.items, tea.retyped(), nil, in: list.retyped(), at: clock.now) }
        clock.advance(by: .seconds(10))
        try await phone.client.syncNow()
        #expect(try await changed() == clock.now)
        // One's own counts when it is made, and not once more when it is confirmed.
        clock.advance(by: .seconds(10))
        let removed = clock.now
        try await phone.lists.remove(milk.id)
        #expect(try await changed() == removed)
        clock.advance(by: .seconds(10))
        try await phone.client.syncNow()
        #expect(try await changed() == removed)
    }

    @Test("A clock that was ahead is forgotten when the server has confirmed the edit") func clockAhead() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.client.syncNow()
        phone.clock.advance(by: .days(365))
        try await phone.lists.add("Milk", to: list)
        #expect(try await phone.lists.list(list)?.modified == phone.clock.now)
        phone.clock.advance(by: .days(-365))
        try await phone.client.syncNow()
        #expect(try await phone.lists.list(list)?.modified == phone.clock.now)
    }
}
