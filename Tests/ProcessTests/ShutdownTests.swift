import Foundation
import Kith
import KithModel
import Processes
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A server that receives a stop signal") struct ShutdownTests {
    @Test("SIGTERM stops it cleanly: live streams end, and acknowledged edits are stored")
    func goodOrder() async throws {
        try await World.run(stop)
    }

    private func stop(_ world: World) async throws {
        let writer = try await world.startWriter("ada")
        let token = try #require(try await world.owner.session.token())
        let stream = LiveStream(world.server.url, token: token)
        try await Limit("The live stream says hello").until { stream.text.contains("event: hello") }
        try await writer.acknowledges(30)
        try await Limit("The live stream tells of the edits").until { stream.text.contains("event: moved") }

        let status = try await world.server.stop()
        #expect(status == 0)
        try await Limit("The live stream has ended").until { stream.hasEnded }
        await writer.kill()
        let acknowledged = writer.heard.acknowledged

        try await world.server.start()
        let numbers = KillTests.numbers(of: writer, in: try await world.serverItems())
        #expect(Set(1...acknowledged).isSubset(of: numbers))
        #expect(Set(numbers).count == numbers.count)
    }
}

/// `GET /v1/live` as plain HTTP, to see the stream itself.
private final class LiveStream: NSObject, URLSessionDataDelegate, Sendable {
    private let received = Mutex((text: "", hasEnded: false))

    init(_ server: URL, token: String) {
        super.init()
        var request = URLRequest(
            url: server.appending(path: "v1/live").appending(
                queryItems: [URLQueryItem(name: "device", value: UUID().uuidString.lowercased())]))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        session.dataTask(with: request).resume()
        session.finishTasksAndInvalidate()
    }

    var text: String { received.withLock { $0.text } }
    var hasEnded: Bool { received.withLock { $0.hasEnded } }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.withLock { $0.text += String(decoding: data, as: UTF8.self) }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        received.withLock { $0.hasEnded = true }
    }
}
