import Kith
import Testing

@Suite("Parts that other modules attach to a client") struct ClientPartsTests {
    /// Says when it runs, and runs until it is cancelled.
    private struct Part<Kind>: RunningPart {
        let starts: AsyncStream<Void>
        private let start: AsyncStream<Void>.Continuation

        init() { (starts, start) = AsyncStream<Void>.makeStream() }

        func run() async {
            start.yield()
            // Only a cancellation ends it.
            try? await Task.sleep(for: .seconds(3_600))
            start.finish()
        }
    }

    private final class Lone: Sendable {}

    @Test("There is one part of each type, however often it is requested") func one() throws {
        let client = try KithClient.inMemory()
        let first = client.parts.part { Lone() }
        #expect(client.parts.part { Lone() } === first)
        #expect(try KithClient.inMemory().parts.part { Lone() } !== first)
    }

    @Test("A part runs with the client, even if it is created later, and ends with it")
    func running() async throws {
        let client = try KithClient.inMemory()
        var early = client.parts.part { Part<Int>() }.starts.makeAsyncIterator()
        let run = Task { await client.run() }
        #expect(await early.next() != nil)
        var late = client.parts.part { Part<String>() }.starts.makeAsyncIterator()
        #expect(await late.next() != nil)
        run.cancel()
        await run.value
        #expect(await early.next() == nil)
        #expect(await late.next() == nil)
    }
}
