import Kith
import KithModel
import Testing

@Suite("How many bytes of edits go together", .timeLimit(.minutes(15))) struct BatchSizeTests {
    /// Half of what the server reads leaves room for what else a request carries.
    private static let limit = Limits.body / 2
    /// What a mutation counts besides the comment that it sets: its identity and so on, and the JSON around the text.
    private static let overhead = 300 + #"{"add":{},"set":{"comment":""}}"#.utf8.count

    @Test("A request contains up to 1 MiB of edits, and the rest follows", arguments: [0, 1])
    func request(beyond: Int) async throws {
        let (phone, items) = try await Self.phoneWithItems()
        for (item, comment) in zip(items, Self.comments(items.count, limit: Self.limit + beyond)) {
            try await phone.lists.update(item) { $0.comment = comment }
        }
        let before = phone.server.rounds.count
        try await phone.client.syncNow()
        let carried = phone.server.rounds[before...].map(\.mutations.count)
        #expect(carried == (beyond == 0 ? [items.count] : [items.count - 1, 1]))
    }

    @Test("A group has 1 MiB of edits; a larger one is refused, and nothing of it is written", arguments: [0, 1])
    func group(beyond: Int) async throws {
        let (phone, items) = try await Self.phoneWithItems()
        let comments = Self.comments(items.count, limit: Self.limit + beyond)
        let refused = await code {
            try await phone.client.write { changes in
                for (item, comment) in zip(items, comments) { try changes.update(item) { $0.comment = comment } }
            }
        }
        #expect(refused == (beyond == 0 ? nil : .tooMany))
        #expect(try await phone.waiting() == (beyond == 0 ? items.count : 0))
    }

    private static func phoneWithItems() async throws -> (Phone, [ItemID]) {
        let (phone, list) = try await Phone.withList()
        let items = try await phone.client.write { changes in
            try (0..<260).map { try changes.add("Item \($0)", to: list).id }
        }
        try await phone.client.syncNow()
        return (phone, items)
    }

    /// Comments of about the same length, the edits of which have `limit` bytes together.
    private static func comments(_ count: Int, limit: Int) -> [String] {
        let (share, rest) = (limit - count * overhead).quotientAndRemainder(dividingBy: count)
        return (0..<count).map { index in
            let bytes = share + (index < rest ? 1 : 0)
            return String(repeating: "ä", count: bytes / 2) + String(repeating: "a", count: bytes % 2)
        }
    }
}
